#include "tests/deploy/config/config_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::config_programs_test {

using namespace deploy;

namespace {

lines problems_with_path(const std::string& members, const std::string& path = "/usr/bin:/bin") {
  auto environment = [&](const std::string& name) { return name == "PATH" ? std::optional(path) : std::nullopt; };
  lines result;
  for (const auto& problem : read_config(one_server(members), "/bin", environment, {}, programs::looked_for).problems)
    result.push_back(problem_line("f", problem));
  return result;
}

const lines not_found = {
    "f:1: warning: mcpServers.a.command: is not found in the directories of `PATH`: install it, or "
    "write the whole path"};

} // namespace

TEST(config_programs, are_looked_for_in_the_path_that_the_server_gets) {
  EXPECT_EQ(problems_with_path(R"("command": "sh")"), lines{});
  EXPECT_EQ(problems_with_path(R"("command": "sh")", "/none:/bin"), lines{});
  EXPECT_EQ(problems_with_path(R"("command": "sh")", "/none"), not_found);
  EXPECT_EQ(problems_with_path(R"("command": "sh", "env": {"PATH": "/none"})"), not_found);
  EXPECT_EQ(problems_with_path(R"("command": "sh", "env": {"PATH": "/none:/bin"})", "/none"), lines{});
  EXPECT_EQ(problems_with_path(R"("command": "no-such-program-here")"), not_found);
}

TEST(config_programs, with_a_slash_are_looked_for_where_the_file_is) {
  EXPECT_EQ(problems_with_path(R"("command": "./sh")", "/none"), lines{});
  EXPECT_EQ(problems_with_path(R"("command": "/bin/sh")", "/none"), lines{});
  EXPECT_EQ(problems_with_path(R"("command": "./none")"),
            lines{"f:1: warning: mcpServers.a.command: is a file that is not there"});
  EXPECT_EQ(problems_with_path(R"("command": "/")"),
            lines{"f:1: warning: mcpServers.a.command: is no file that may be executed"});
}

TEST(config_programs, are_not_looked_for_by_who_does_not_want_it_or_where_the_file_has_errors) {
  EXPECT_EQ(problems_of_server(R"("command": "no-such-program-here")"), lines{});
  EXPECT_EQ(problems_with_path(R"("command": "none", "command": "none", "sharing": "x")").size(), 2u);
}

} // namespace troupe::tests::config_programs_test
