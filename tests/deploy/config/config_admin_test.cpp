#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_gateway.hpp"

#include <filesystem>
#include <fstream>

namespace troupe::tests::config_admin_test {

using namespace deploy;

namespace {

/// A file with one server, and a section `gateway.admin` with these members on its second line.
std::string with_admin(const std::string& members) {
  return "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"gateway\": {\"admin\": {\n" + members + "}}}";
}

/// The admin options of a file and flags; fails on errors.
std::optional<admin_options> admin_of(const std::string& text,
                                      const std::optional<admin_options>& line = admin_options{},
                                      const std::set<std::string>& given = {}) {
  flagged_options flags;
  flags.options.admin = line;
  flags.given = given;
  auto file = read_config(text, "/etc/troupe", test_variable, flags);
  for (const auto& problem : file.problems)
    ADD_FAILURE() << problem_line("f", problem);
  return file.gateway.admin;
}

std::string token_path() { return testing::TempDir() + "troupe-admin-token"; }

class config_admin : public testing::Test {
protected:
  config_admin() { std::ofstream{token_path()} << "0123456789abcdef\n"; }
  ~config_admin() override { std::filesystem::remove(token_path()); }

  std::string token_file() const { return R"("tokenFile": ")" + token_path() + '"'; }
};

} // namespace

TEST_F(config_admin, says_where_operators_are_listened_for) {
  EXPECT_EQ(admin_of(with_admin(R"("listen": "[::1]:1234", )" + token_file())),
            (admin_options{"::1", 1234, -1, "", token_path()}));
  EXPECT_EQ(admin_of(with_admin(R"("listen": "unix:/run/troupe.sock")"))->host, "unix:/run/troupe.sock");
  EXPECT_EQ(admin_of(with_admin(R"("listen": "${EMPTY:-node-1}:0")")), (admin_options{"node-1", 0, -1, "", ""}));
}

TEST_F(config_admin, has_a_place_unless_told) {
  EXPECT_EQ(admin_of(with_admin("")), (admin_options{"127.0.0.1", 9464, -1, "", ""}));
}

TEST_F(config_admin, listens_for_nobody_unless_told) {
  EXPECT_FALSE(read_text(one_server(R"("command": "x")")).gateway.admin);
}

TEST_F(config_admin, names_what_is_wrong) {
  const std::string form =
      "f:2: error: gateway.admin.listen: must be HOST:PORT, such as 127.0.0.1:7946, node-1:7946 or "
      "[::1]:7946, or unix: and the path of a socket";
  for (const auto* listen : {"9464", "unix:", "http://a:1", "a:65536"})
    EXPECT_EQ(problems_of(with_admin(std::string{"\"listen\": \""} + listen + '"')), lines{form}) << listen;
  EXPECT_EQ(problems_of(with_admin(R"("tokenFile": "nowhere")")),
            lines{"f:2: error: gateway.admin.tokenFile: cannot be read: No such file or directory"});
  EXPECT_EQ(problems_of(with_admin(R"("listen": "${MISSING}")")).size(), 1U);
  EXPECT_EQ(problems_of(with_admin(R"("token": "x")")), lines{"f:2: warning: gateway.admin.token: is not known"});
}

TEST_F(config_admin, gives_way_to_flags) {
  const auto text = with_admin(R"("listen": "127.0.0.1:1", )" + token_file());
  const admin_options line{"unix:s", 9464, -1, "", "other"};
  EXPECT_EQ(admin_of(text, line, {"--admin-listen"}), (admin_options{"unix:s", 9464, -1, "", token_path()}));
  EXPECT_EQ(admin_of(text, line, {"--admin-token-file"}), (admin_options{"127.0.0.1", 1, -1, "", "other"}));
  EXPECT_EQ(admin_of(one_server(R"("command": "x")"), line, {"--admin-listen", "--admin-token-file"}), line);
}

TEST_F(config_admin, can_be_open) {
  EXPECT_FALSE(admin_of(with_admin(""))->open);
  EXPECT_TRUE(admin_of(with_admin(R"("open": true)"))->open);
  EXPECT_EQ(problems_of(with_admin(R"("open": "yes")")).size(), 1U);
  admin_options line;
  line.open = true;
  const auto opened = admin_of(with_admin(token_file()), line, {"--admin-open"});
  EXPECT_TRUE(opened->open && opened->token_file.empty());
  const admin_options closing{"127.0.0.1", 9464, -1, "", "other"};
  EXPECT_EQ(admin_of(with_admin(R"("open": true)"), closing, {"--admin-token-file"}), closing);
  const auto without = admin_of(with_admin(token_file()), std::nullopt, {"--admin-open"}); // --admin-open=false
  EXPECT_EQ(without, admin_of(with_admin(token_file())));
}

TEST_F(config_admin, takes_a_restart) {
  const auto before = read_text(with_admin(""));
  const auto after = read_text(with_admin(R"("listen": "127.0.0.1:1")"));
  EXPECT_EQ(gateway_changes(before, after), lines{"gateway.admin"});
  EXPECT_EQ(gateway_changes(before, before), lines{});
}

} // namespace troupe::tests::config_admin_test
