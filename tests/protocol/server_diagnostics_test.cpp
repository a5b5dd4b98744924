#include "protocol/server_diagnostics.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::tests::server_diagnostics_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::system_clock::time_point noon{std::chrono::hours{12}};

/// Diagnostics of a server whose process 7 has written this many lines.
server_diagnostics after_lines(std::size_t count) {
  server_diagnostics result;
  for (std::size_t i = 1; i <= count; ++i)
    result.wrote(7, std::to_string(i), noon);
  return result;
}

using texts = std::vector<std::string>;

} // namespace

TEST(server_diagnostics, keep_the_last_lines) {
  constexpr auto most = server_diagnostics::most_lines;
  EXPECT_EQ(after_lines(most - 1).lines().front().text, "1");
  EXPECT_EQ(after_lines(most).lines().front().text, "1");
  const auto over = after_lines(most + 1);
  EXPECT_EQ(over.lines().size(), most);
  EXPECT_EQ(over.lines().front().text, "2");
  EXPECT_EQ(over.lines().back(), (stderr_line{noon, 7, std::to_string(most + 1)}));
}

TEST(server_diagnostics, cut_long_lines_and_remove_control_characters) {
  constexpr auto longest = server_diagnostics::longest_line;
  server_diagnostics it;
  for (auto size : {longest - 1, longest, longest + 1})
    it.wrote(7, std::string(size, 'a'), noon);
  EXPECT_EQ(it.lines()[0].text.size(), longest - 1);
  EXPECT_EQ(it.lines()[1].text.size(), longest);
  EXPECT_EQ(it.lines()[2].text.size(), longest);
  it.wrote(7, "\x1b[31mred\x07\xff", noon);
  EXPECT_EQ(it.lines().back().text, "[31mred?");
}

TEST(server_diagnostics, give_a_failure_the_last_lines_of_its_process) {
  auto it = after_lines(3);
  it.wrote(8, "of another", noon);
  EXPECT_EQ(it.failed({noon, "exited", 5s, 7, "s"}).lines, (texts{"1", "2", "3"}));
  EXPECT_EQ(it.failed({noon, "exited", 5s, 8, "s"}).lines, (texts{"of another"}));
  EXPECT_EQ(it.failed({noon, "not found", 0s, 0, "s"}).lines, texts{}) << "no process, no lines";
}

TEST(server_diagnostics, limit_the_lines_of_a_failure) {
  constexpr auto most = server_diagnostics::most_failure_lines;
  for (auto count : {most - 1, most, most + 1}) {
    auto it = after_lines(count);
    const auto lines = it.failed({noon, "exited", 5s, 7}).lines;
    EXPECT_EQ(lines.size(), std::min(count, most));
    EXPECT_EQ(lines.back(), std::to_string(count));
  }
}

TEST(server_failure, is_told_by_its_last_error_before_the_stack_trace) {
  auto line_of = [](texts lines) { return server_failure{.lines = std::move(lines)}.telling_line(); };
  EXPECT_EQ(line_of({"start", "TypeError: x", "    at f (a.js:1)", "Node.js v22.1.0"}), "TypeError: x");
  EXPECT_EQ(line_of({"ERROR: a", "error: b"}), "error: b");
  EXPECT_EQ(line_of({"start", "bye"}), "bye");
  EXPECT_EQ(line_of({}), "");
}

TEST(server_diagnostics, keep_the_last_failures_and_count_all) {
  constexpr auto most = server_diagnostics::most_failures;
  server_diagnostics it;
  for (std::size_t i = 1; i <= most + 1; ++i) {
    it.failed({noon, std::to_string(i)});
    EXPECT_EQ(it.failures().size(), std::min(i, most));
    EXPECT_EQ(it.failure_count(), i);
  }
  EXPECT_EQ(it.failures().front().why, "2");
  EXPECT_EQ(it.failures().back().why, std::to_string(most + 1));
}

} // namespace troupe::tests::server_diagnostics_test
