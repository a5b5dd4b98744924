#include "protocol/catalog/merged_names.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::resource_uri_test {

using namespace protocol;

namespace {

std::string read(std::string_view uri) {
  auto parts = read_merged_uri(uri);
  return parts ? parts->server + " | " + parts->original : "none";
}

} // namespace

TEST(resource_uri, bears_its_servers_name) {
  EXPECT_EQ(merged_uri("files", "file:///etc/motd"), "troupe://files/file:///etc/motd");
  EXPECT_EQ(merged_uri("a b/é%", "x"), "troupe://a%20b%2F%C3%A9%25/x");
}

TEST(resource_uri, leaves_templates_unharmed) {
  EXPECT_EQ(merged_uri("db", "sql://{table}/{?q*}"), "troupe://db/sql://{table}/{?q*}");
}

TEST(resource_uri, of_a_ui_keeps_its_scheme) {
  EXPECT_EQ(merged_uri("weather", "ui://dashboard"), "ui://weather/dashboard");
  EXPECT_EQ(merged_uri("a b", "ui://weather/{city}/view"), "ui://a%20b/weather/{city}/view");
  EXPECT_EQ(read("ui://weather/dashboard"), "weather | ui://dashboard");
  EXPECT_TRUE(is_ui_uri("ui://"));
  for (auto other : {"ui:x", "UI://x", "xui://x", "troupe://a/ui://x"})
    EXPECT_FALSE(is_ui_uri(other));
}

TEST(resource_uri, is_read_back_without_a_table) {
  for (auto server : {"files", "a b", "é%2F", "x/y", "~._-", ""})
    for (auto uri : {"file:///a", "", "/", "troupe://files/x", "a?b#c", "%41{x}", "ui://x", "ui://x/y", "ui://",
                     "ui:///", "ui://troupe://a", "ui://ui://x/y", "UI://x"})
      EXPECT_EQ(read(merged_uri(server, uri)), std::string{server} + " | " + uri);
}

TEST(resource_uri, is_read_in_either_case_of_its_escapes) { EXPECT_EQ(read("troupe://%c3%A9/x"), "é | x"); }

TEST(resource_uri, is_not_found_in_what_is_none) {
  for (auto uri : {"file:///a", "troupe:/a/b", "troupe://a", "troupe://", "", "troupe://%zz/a", "troupe://%4/a",
                   "troupe://%/a", "Troupe://a/b", "ui://a", "ui://", "ui:/a/b", "ui://%zz/a", "UI://a/b"})
    EXPECT_EQ(read(uri), "none") << uri;
}

} // namespace troupe::tests::resource_uri_test
