#include "deploy/log/access_log.hpp"

#include "tests/support/waiting.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace troupe::tests::access_log_test {

using namespace deploy;

namespace {

/// A directory for the files of a test.
class access_log_test : public testing::Test {
protected:
  ~access_log_test() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ / name; }

  static std::vector<std::string> lines_in(const std::string& file) {
    std::ifstream in{file};
    std::vector<std::string> result;
    for (std::string line; std::getline(in, line);)
      result.push_back(line.substr(line.find("client="), 8));
    return result;
  }

  static access_record of(std::string_view client) { return {.client = client}; }

private:
  static std::filesystem::path make() {
    std::string name = std::filesystem::temp_directory_path() / "troupe-access-XXXXXX";
    return ::mkdtemp(name.data());
  }

  std::filesystem::path directory_ = make();
};

using lines = std::vector<std::string>;

/// Writes the records with a log that is closed afterwards.
void write_all(const std::string& file, const std::vector<access_record>& records) {
  access_log log{{file, log_format::text}};
  for (const auto& one : records)
    log.sink()(one);
}

} // namespace

TEST_F(access_log_test, appends_to_what_is_there) {
  write_all(path("log"), {{.client = "a"}, {.client = "b"}});
  write_all(path("log"), {{.client = "c"}});
  EXPECT_EQ(lines_in(path("log")), (lines{"client=a", "client=b", "client=c"}));
}

TEST_F(access_log_test, begins_on_a_line_of_its_own_behind_half_a_line) {
  std::ofstream{path("log")} << "client=a\nclient=h";
  write_all(path("log"), {{.client = "b"}});
  EXPECT_EQ(lines_in(path("log")), (lines{"client=a", "client=h", "client=b"}));
}

TEST_F(access_log_test, has_each_line_of_a_burst_in_order) {
  std::vector<access_record> records;
  for (int i = 1000; i < 4000; ++i)
    records.push_back({.status = i});
  {
    access_log log{{path("log"), log_format::json}};
    for (auto& one : records)
      log.sink()(one);
  }
  std::ifstream in{path("log")};
  int expected = 1000;
  for (std::string line; std::getline(in, line); ++expected)
    EXPECT_NE(line.find("\"http.status\":" + std::to_string(expected)), line.npos) << line;
  EXPECT_EQ(expected, 4000);
}

TEST_F(access_log_test, is_not_for_everybody) {
  write_all(path("log"), {});
  struct stat is {};
  ASSERT_EQ(::stat(path("log").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0007, 0u);
}

TEST_F(access_log_test, goes_on_in_a_new_file_when_it_was_renamed_and_is_opened_again) {
  {
    access_log log{{path("log"), log_format::json}};
    log.sink()(of("10.0.0.1"));
    std::filesystem::rename(path("log"), path("log.1"));
    EXPECT_TRUE(tests::eventually([&] { return std::filesystem::file_size(path("log.1")) != 0; }));
    EXPECT_EQ(log.reopen(), std::nullopt);
    log.sink()(of("10.0.0.2"));
  }
  auto all = [](const std::string& file) {
    std::ifstream in{file};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  EXPECT_NE(all(path("log.1")).find("10.0.0.1"), std::string::npos);
  EXPECT_EQ(all(path("log.1")).find("10.0.0.2"), std::string::npos);
  EXPECT_NE(all(path("log")).find("10.0.0.2"), std::string::npos);
}

TEST_F(access_log_test, keeps_its_file_when_it_cannot_be_opened_again) {
  std::filesystem::create_directory(path("d"));
  {
    access_log log{{path("d/log"), log_format::text}};
    std::filesystem::rename(path("d"), path("e"));
    EXPECT_EQ(log.reopen(), "the access log " + path("d/log") + " cannot be opened: No such file or directory");
    log.sink()(of("a"));
  }
  EXPECT_EQ(lines_in(path("e/log")).size(), 1u);
}

TEST_F(access_log_test, refuses_what_cannot_be_opened) {
  auto why = [&](const std::string& file) -> std::string {
    try {
      access_log log{{file, log_format::json}};
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(why(path("")), "the access log " + path("") + " cannot be opened: Is a directory");
  EXPECT_EQ(why(path("no\n/log")),
            "the access log " + path("no\\n/log") + " cannot be opened: No such file or directory");
}

TEST_F(access_log_test, is_on_stdout_when_it_is_a_dash) {
  testing::internal::CaptureStdout();
  access_log{{"-", log_format::json}}.sink()(of("10.0.0.1"));
  const auto said = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(said.starts_with("{\"time\":\"") && said.ends_with("}\n")) << said;
}

TEST_F(access_log_test, counts_the_lines_that_could_not_be_written) {
  std::optional<access_log> log{std::in_place, access_log_options{"/dev/full", log_format::json}};
  const auto lost = log->lost();
  for (int i = 0; i < 10; ++i)
    log->sink()(of("a"));
  EXPECT_TRUE(tests::eventually([&] { return lost() == 10; })) << lost();
  log.reset();
  EXPECT_EQ(lost(), 0u) << "it has ended";
}

} // namespace troupe::tests::access_log_test
