#include "deploy/help/command_text.hpp"
#include "deploy/help/help_text.hpp"
#include "deploy/help/manual.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace troupe::tests::manual_test {

using namespace deploy;

namespace {

const manual_key* find_key(const std::vector<manual_key>& keys, std::string_view path) {
  const auto found = std::ranges::find(keys, path, &manual_key::path);
  return found == keys.end() ? nullptr : &*found;
}

command_text one_command(std::string text) {
  return {.name = "troupe",
          .text = "It",
          .flags = {},
          .notes = "",
          .group = "",
          .commands = {
              {.name = "troupe walk", .text = std::move(text), .flags = {}, .notes = "", .group = "", .commands = {}}}};
}

} // namespace

TEST(manual, has_the_schema_that_editors_have) {
  std::ifstream file{TROUPE_SCHEMA};
  EXPECT_EQ(config_schema(), std::string(std::istreambuf_iterator<char>{file}, {}));
}

TEST(manual, tells_keys_with_kind_and_default) {
  const auto keys = manual_keys();
  const auto* const port = find_key(keys, "gateway.port");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->kind, "number");
  EXPECT_EQ(port->default_value, "8080");
  EXPECT_EQ(find_key(keys, "gateway.sessionTimeout")->kind, "time");
  EXPECT_EQ(find_key(keys, "gateway.log.level")->kind, "debug, info, warning, error, none");
  EXPECT_EQ(find_key(keys, "mcpServers.NAME.command")->kind, "text or list or object");
  EXPECT_EQ(find_key(keys, "mcpServers.NAME.cwd")->kind, "text");
  EXPECT_EQ(find_key(keys, "mcpServers.NAME.disabled")->kind, "true or false");
}

TEST(manual, tells_each_key_once_with_a_text) {
  std::set<std::string> seen;
  for (const auto& key : manual_keys()) {
    EXPECT_TRUE(seen.insert(key.path).second) << key.path;
    EXPECT_FALSE(key.text.empty()) << key.path;
  }
  EXPECT_TRUE(seen.contains("servers"));
  EXPECT_FALSE(seen.contains("servers.NAME.command")) << "told under mcpServers";
}

TEST(manual, has_nothing_that_roff_takes_for_its_own) {
  const auto page = program_page(one_command(".hidden 'a' \\x --flag"), "1.0");
  EXPECT_NE(page.find("\\&.hidden 'a' \\ex \\-\\-flag\n"), std::string::npos) << page;
}

TEST(manual, has_a_section_for_each_topic) {
  const auto page = program_page(one_command("x"), "1.0");
  for (const auto& topic : help_topics())
    EXPECT_NE(page.find(".SH " + std::string{topic.title} + '\n'), std::string::npos) << topic.name;
}

TEST(value_kinds, are_found_by_what_help_shows) {
  auto kind = [](std::string value) {
    return kind_of({.names = {"--x"}, .value = std::move(value), .text = "", .default_value = "", .group = ""});
  };
  EXPECT_TRUE(kind("FILE").is_file);
  EXPECT_TRUE(kind("FILE|-").is_file);
  EXPECT_TRUE(kind("DIRECTORY").is_directory);
  EXPECT_EQ(kind("debug|info").choices, (std::vector<std::string>{"debug", "info"}));
  for (const auto* value : {"HOST:PORT|unix:PATH", "NAME", "", "http://HOST:PORT|unix:PATH"})
    EXPECT_TRUE(kind(value).choices.empty()) << value;
}

} // namespace troupe::tests::manual_test
