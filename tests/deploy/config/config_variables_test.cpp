#include "tests/deploy/config/config_driver.hpp"

namespace troupe::tests::config_variables_test {

using namespace deploy;

namespace {

std::string argument(const std::string& text) {
  const auto server = program_of(R"("command": "x", "args": [")" + text + R"("])");
  return server.arguments.empty() ? "nothing" : server.arguments.front();
}

lines problems_of_argument(const std::string& text) {
  return problems_of_server(R"("command": "x", "args": [")" + text + R"("])");
}

} // namespace

TEST(config_variables, stand_for_the_environment) {
  EXPECT_EQ(argument("${TOKEN}"), "s3cret");
  EXPECT_EQ(argument("a${TOKEN}b${env:TOKEN}c"), "as3cretbs3cretc");
  EXPECT_EQ(argument("${EMPTY}"), "");
}

TEST(config_variables, have_a_default_for_what_is_not_set_or_empty) {
  EXPECT_EQ(argument("${TOKEN:-x}"), "s3cret");
  EXPECT_EQ(argument("${NOT_SET:-x y}"), "x y");
  EXPECT_EQ(argument("${env:NOT_SET:-x:-y}"), "x:-y");
  EXPECT_EQ(argument("${NOT_SET:-}"), "");
  EXPECT_EQ(argument("${EMPTY:-x}"), "x");
}

TEST(config_variables, stand_for_places) {
  EXPECT_EQ(argument("${workspaceFolder}${pathSeparator}x${/}y"), "/etc/troupe/x/y");
  EXPECT_EQ(argument("${userHome}/x"), "/home/ann/x");
}

TEST(config_variables, are_not_looked_for_in_what_they_stand_for) {
  EXPECT_EQ(argument("${NESTED}"), "${TOKEN}");
  EXPECT_EQ(argument("${NOT_SET:-${TOKEN}"), "${TOKEN");
}

TEST(config_variables, leave_other_dollars_alone) {
  for (const auto* text : {"$", "$$", "$TOKEN", "$$TOKEN", "{TOKEN}", "${TOKEN", "${", "a$", "%TOKEN%"})
    EXPECT_EQ(argument(text), text);
  EXPECT_EQ(argument("$${TOKEN}"), "$s3cret");
}

TEST(config_variables, are_doubted_when_nothing_has_such_a_name) {
  for (const auto* text : {"${}", "${a b}", "${1}", "${env:}", "${:-x}"}) {
    EXPECT_EQ(problems_of_argument(text),
              lines{"f:1: warning: mcpServers.a.args[0]: has a `${` that begins no variable, it is left as it is"});
    const auto file = read_text(one_server(R"("command": "x", "args": [")" + std::string(text) + R"("])"));
    EXPECT_EQ(std::get<command_server>(file.gateway.servers.front().source).arguments, lines{text});
  }
}

TEST(config_variables, are_named_when_they_are_not_set) {
  EXPECT_EQ(problems_of_argument("${NOT_SET}${env:NOR_THIS}"),
            (lines{"f:1: error: mcpServers.a.args[0]: the environment variable `NOT_SET` is not set",
                   "f:1: error: mcpServers.a.args[0]: the environment variable `NOR_THIS` is not set"}));
}

TEST(config_variables, ask_no_user) {
  EXPECT_EQ(problems_of_argument("${input:key}"),
            lines{"f:1: error: mcpServers.a.args[0]: `${input:key}` asks the user, which a "
                  "gateway cannot do: use an environment variable"});
}

TEST(config_variables, are_in_every_string_of_a_server) {
  const auto program = program_of(R"("command": "${TOKEN}", "env": {"A": "${TOKEN}"}, "cwd": "/${TOKEN}")");
  EXPECT_EQ(program.program, "s3cret");
  EXPECT_EQ(program.environment.front().second, "s3cret");
  EXPECT_EQ(program.directory, "/s3cret");
  const auto remote = remote_of(R"("url": "${ADDRESS}x", "headers": {"A": "${TOKEN}"})");
  EXPECT_EQ(remote.url, "http://host/x");
  EXPECT_EQ(remote.headers.front().second, "s3cret");
}

TEST(config_variables, need_the_home_that_they_stand_for) {
  auto nothing_set = [](const std::string&) { return std::optional<std::string>{}; };
  for (const auto* command : {"~/x", "${userHome}/x"}) {
    const auto problems =
        read_config(one_server(R"("command": ")" + std::string(command) + '"'), "/", nothing_set).problems;
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problem_line("f", problems.front()),
              "f:1: error: mcpServers.a.command: the environment variable `HOME` is not set");
  }
}

TEST(config_variables, make_no_empty_command) {
  EXPECT_EQ(problems_of_server(R"("command": "${EMPTY}")"), lines{"f:1: error: mcpServers.a.command: is empty"});
  EXPECT_EQ(problems_of_server(R"("command": "x", "cwd": "${EMPTY}")"),
            lines{"f:1: error: mcpServers.a.cwd: is empty"});
}

TEST(config_variables, come_to_so_much_and_no_more) {
  const std::string quarter(longest_expansion / 4, 'x');
  auto lookup = [&](const std::string& name) { return std::optional(name == "ONE" ? "x" : quarter); };
  auto errors = [&](const std::string& text) {
    return read_config(one_server(R"("command": "x", "args": [")" + text + R"("])"), "/", lookup).problems.size();
  };
  EXPECT_EQ(errors("${Q}${Q}${Q}"), 0u);
  EXPECT_EQ(errors("${Q}${Q}${Q}${Q}"), 0u);
  EXPECT_EQ(errors("${Q}${Q}${Q}${Q}${ONE}"), 1u);
}

// -- secrets ---------------------------------------------------------------------

TEST(config_variables, and_values_are_never_shown) {
  const auto said = problems_of(R"({"mcpServers": {
    "a": {"command": "hid-den ${NOT_SET}", "args": ["hid-den ${input:x}", 1], "env": {"K": "hid-den ${NOT_SET}"}, "cwd": "hid-den\u0000"},
    "b": {"url": "http://hid-den:hid-den@h/?hid-den", "headers": {"K": "hid-den\n", "L": "hid-den ${NOT_SET}", "M": "${BREAK} ${TOKEN}"}},
    "c": {"url": "${TOKEN}", "type": "hid-den", "sharing": "hid-den", "prefix": "hid-den.", "timeout": "hid-den"},
    "d": {"command": "${TOKEN}", "args": ["${hid-den}", "${NOT_SET:-hid-den}"], "restart": "hid-den", "tools": "hid-den"}},
    "gateway": {"port": "hid-den", "log": {"level": "hid-den"}}})");
  EXPECT_EQ(said.size(), 19u);
  for (const auto& line : said)
    for (const auto* secret : {"hid-den", "s3cret"})
      EXPECT_EQ(line.find(secret), std::string::npos) << line;
}

} // namespace troupe::tests::config_variables_test
