#include "deploy/help/help_text.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::help_text_test {

using namespace deploy;

namespace {

command_text a_command() {
  return {
      .name = "troupe serve",
      .text = "Serve it",
      .flags = {{.names = {"file"}, .value = "FILE", .text = "The file", .default_value = "", .group = "Options"},
                {.names = {"-p", "--port"}, .value = "PORT", .text = "Where", .default_value = "80", .group = "Places"},
                {.names = {"--a-name-that-is-very-long"},
                 .value = "X",
                 .text = "Long",
                 .default_value = "",
                 .group = "Places"}},
      .notes = "\nExamples:\n  troupe serve\n",
      .group = "",
      .commands = {}};
}

} // namespace

TEST(help_text, tells_flags_in_their_groups) {
  EXPECT_EQ(help_text(a_command(), 80), R"(Serve it

Usage: troupe serve [flags] [FILE]

Flags:
  FILE                        The file

Places:
  -p, --port PORT             Where (default: 80)
  --a-name-that-is-very-long X
                              Long

Examples:
  troupe serve
)");
}

TEST(help_text, lists_commands_by_their_last_word) {
  command_text program{
      .name = "troupe", .text = "It", .flags = {}, .notes = "", .group = "", .commands = {a_command()}};
  program.commands[0].group = "Subcommands";
  EXPECT_EQ(help_text(program, 80), "It\n\nUsage: troupe COMMAND [flags]\n\nCommands:\n"
                                    "  serve                       Serve it\n");
  EXPECT_EQ(find_command(program, {"serve"})->text, "Serve it");
  EXPECT_EQ(find_command(program, {}), &program);
  EXPECT_EQ(find_command(program, {"walk"}), nullptr);
  EXPECT_EQ(find_command(program, {"serve", "new"}), nullptr);
}

TEST(help_text, wraps_between_words) {
  EXPECT_EQ(wrapped("one two three", 8, 2, 0), "one two\n  three");
  EXPECT_EQ(wrapped("one two", 7, 0, 0), "one two");
  EXPECT_EQ(wrapped("one two", 6, 0, 0), "one\ntwo");
  EXPECT_EQ(wrapped("a-word-that-is-too-long x", 5, 1, 3), "a-word-that-is-too-long\n x");
  EXPECT_EQ(wrapped("", 5, 1, 3), "");
}

} // namespace troupe::tests::help_text_test
