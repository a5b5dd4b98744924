#include "deploy/import/codex_file.hpp"

#include "deploy/import/merged_import.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace troupe::tests::codex_file_test {

using namespace deploy;

namespace {

const std::string codex_head = "[mcp_servers.x]\ncommand = 'a'\n";
const std::string too_deep = "has values or keys that are nested too deeply";

std::string why_no_codex(const std::string& text) { return read_codex_file(codex_head + text).why_not; }

std::string times(std::size_t count, const std::string& text) {
  std::string result;
  while (count-- > 0)
    result += text;
  return result;
}

} // namespace

TEST(codex_files, are_no_deeper_than_such_files_are) {
  EXPECT_EQ(why_no_codex("foo = " + times(200, "[") + times(200, "]")), too_deep);
  EXPECT_EQ(why_no_codex("foo = " + times(200, "[\n")), too_deep);
  EXPECT_EQ(why_no_codex(times(1500, "a.") + "a = 1"), too_deep);
  EXPECT_EQ(why_no_codex(times(300'000, "a.") + "a = 1"), too_deep);
  EXPECT_EQ(why_no_codex(times(20, "a . \"b\" . 'c' .") + "a = 1"), too_deep);
  const auto both = times(15, times(15, "a.") + "a = {") + times(15, "}");
  EXPECT_TRUE(why_no_codex(both).starts_with("has servers that are no valid JSON: ")) << why_no_codex(both);
}

TEST(codex_files, are_looked_at_outside_strings_and_comments) {
  const auto marks = times(100, "a.[");
  EXPECT_EQ(why_no_codex("# " + marks + "\nb = \"" + marks + "\\\"" + marks + "\"\nc = '" + marks + "'"), "");
  EXPECT_EQ(why_no_codex("d = \"\"\"\n" + marks + "\n\"" + marks + "\"\"\"\"\ne = '''" + marks + "'''"), "");
  EXPECT_EQ(why_no_codex("f = [" + times(100, "1.5, ") + "]\n" + times(100, "[[g.h]]\n")), "");
  const auto deep = "\n" + times(20, "a.") + "a = 1";
  for (const auto* before : {R"(b = "")", R"(b = "\\")", R"(b = """a\"""" # ')", R"(b = """""" # ")",
                             R"(b = '''c''''' # ")", "b = \"\"\"\n'\"\"\"\"\"", "# \"\"\""})
    EXPECT_EQ(why_no_codex(before + deep), too_deep) << before;
}

TEST(codex_files, that_are_refused_leave_others_alone) {
  EXPECT_EQ(why_no_codex(std::string(5 * 1024 * 1024, '\n')), "is longer than 4194304 bytes");
  merged_import merged{"/"};
  EXPECT_EQ(merged.add({"Codex", "/x/config.toml"}, codex_head + times(1500, "a.") + "a = 1").why_not, too_deep);
  EXPECT_EQ(merged.add({"Codex", "/y/config.toml"}, codex_head).lines, std::vector<std::string>{"x: taken"});
}

// TOML 1.0.0: unquoted keys are ASCII.
TEST(codex_files, have_characters_beyond_ascii_in_strings_and_comments_alone) {
  EXPECT_EQ(why_no_codex("env = { \"\xd0\x92\" = '\xc3\xa9', A = \"\"\"\xe2\x82\xac\"\"\" } # \xd0\x92\n"), "");
  EXPECT_EQ(read_codex_file("\xef\xbb\xbf" + codex_head).why_not, "");
  for (const std::string text :
       {"env = { A = \xd0\x92'b' }", "\xc3\xa9 = 1", "a = 1 \xe2\x80\x83", "a = \xff", "[\xd0\x92]"})
    EXPECT_NE(why_no_codex(text).find("characters beyond ASCII"), std::string::npos) << text;
}

} // namespace troupe::tests::codex_file_test
