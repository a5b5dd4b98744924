#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/log/log_line.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace troupe::tests::live_config_test {

using namespace deploy;

namespace {

/// A configuration file that is changed and read again, and the log of that.
class live_config_test : public testing::Test {
protected:
  ~live_config_test() override { std::filesystem::remove_all(directory_); }

  static std::string new_directory() {
    std::string result = testing::TempDir() + "troupe-XXXXXX";
    return ::mkdtemp(result.data());
  }

  void write(const std::string& text) const { std::ofstream(path_) << text; }

  live_config start(const std::string& text) const {
    write(text);
    return {path_, load_config(path_)};
  }

  /// The names of the servers that the gateway gets.
  std::string read_again(live_config& config) {
    log_.clear();
    const auto servers =
        config.read_again([this](const log_record& record) { log_.push_back(text_line(record)); }).servers;
    return servers ? names_of(*servers) : "nothing";
  }

  std::string directory_ = new_directory();
  std::string path_ = directory_ + "/f";
  lines log_;
};

constexpr auto two = R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}})";

} // namespace

TEST_F(live_config_test, tells_which_servers_changed) {
  auto config = start(two);
  write(R"({"mcpServers": {"b": {"command": "z"}, "c": {"command": "x"}, "d": {"command": "x"}}})");
  EXPECT_EQ(read_again(config), "b,c,d");
  EXPECT_EQ(log_, lines{"configuration changed added=c,d removed=a changed=b"});
  write(two);
  EXPECT_EQ(read_again(config), "a,b");
  EXPECT_EQ(log_, lines{"configuration changed added=a removed=c,d changed=b"});
}

TEST_F(live_config_test, leaves_the_gateway_alone_when_nothing_changed) {
  auto config = start(two);
  write(two + std::string("\n// a comment"));
  EXPECT_EQ(read_again(config), "nothing");
  EXPECT_EQ(log_, lines{"servers are as they were file=" + path_});
}

TEST_F(live_config_test, keeps_what_was_good) {
  auto config = start(two);
  write("{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"sharing\": 1}},\n\"gatewy\": {}}");
  EXPECT_EQ(read_again(config), "nothing");
  EXPECT_EQ(log_, (lines{"must be a string key=mcpServers.a.sharing line=2",
                         "is not known, did you mean `gateway`? key=gatewy line=3",
                         "configuration not changed file=" + path_}));
  write(R"({"mcpServers": {"a": {"command": "x"}}})");
  EXPECT_EQ(read_again(config), "a");
  EXPECT_EQ(log_, lines{"configuration changed removed=b"});
}

TEST_F(live_config_test, keeps_what_was_good_when_the_file_is_gone) {
  auto config = start(two);
  std::filesystem::remove(path_);
  EXPECT_EQ(read_again(config), "nothing");
  EXPECT_EQ(log_, (lines{"cannot be read: No such file or directory key=\"\" line=0",
                         "configuration not changed file=" + path_}));
}

TEST_F(live_config_test, tells_what_needs_a_restart) {
  auto config = start(R"({"servers": {"a": {"command": "x"}}, "gateway": {"port": 1}})");
  write(
      R"({"servers": {"a": {"command": "x"}, "b": {"command": "x"}}, "gateway": {"port": 2, "log": {"level": "debug"}}})");
  EXPECT_EQ(read_again(config), "a,b");
  EXPECT_EQ(log_, (lines{"needs a restart key=gateway.port", "needs a restart key=gateway.log.level",
                         "configuration changed added=b"}));
}

TEST_F(live_config_test, logs_no_value) {
  auto config = start(two);
  write(R"({"servers": {"a": {"command": "x", "args": ["hid-den"], "env": {"K": "hid-den"}},
    "b": {"url": "http://h/?hid-den", "headers": {"K": "hid-den"}}}})");
  EXPECT_EQ(read_again(config), "a,b");
  EXPECT_EQ(log_, lines{"configuration changed changed=a,b"});
}

} // namespace troupe::tests::live_config_test
