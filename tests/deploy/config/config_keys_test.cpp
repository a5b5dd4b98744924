#include "deploy/config/config_keys.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::config_keys_test {

using namespace deploy;

TEST(config_rules, know_a_server_name) {
  for (const auto& name : {std::string("a"), std::string("my server.1"), std::string("é"), std::string(64, 'a')})
    EXPECT_TRUE(is_server_name(name)) << name;
  for (const auto& name : {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("a\n"),
                           std::string("\x7f"), std::string(65, 'a')})
    EXPECT_FALSE(is_server_name(name)) << name;
}

TEST(config_rules, count_the_characters_of_a_name) {
  std::string name;
  for (int i = 0; i < 64; ++i)
    name += "é";
  EXPECT_TRUE(is_server_name(name));
  EXPECT_FALSE(is_server_name(name + "é"));
}

TEST(config_rules, keep_the_headers_of_the_gateway_and_of_the_connection) {
  for (const auto* name : {"Host", "CONTENT-LENGTH", "content-type", "Mcp-Session-Id", "MCP-Protocol-Version",
                           "Transfer-Encoding", "Connection", "Accept", "Last-Event-ID", "Mcp-Param-Region"})
    EXPECT_TRUE(is_own_header(name)) << name;
  for (const auto* name : {"Authorization", "X-Host", "Cookie", "User-Agent", "Mcp-Param"})
    EXPECT_FALSE(is_own_header(name)) << name;
}

TEST(config_keys, find_what_was_meant) {
  const std::vector<std::string_view> keys = {"command", "args", "env", "url", "allowOrigins", "maxBody"};
  EXPECT_EQ(nearest("comand", keys), "command");
  EXPECT_EQ(nearest("commnad", keys), "command");
  EXPECT_EQ(nearest("allow_origins", keys), "allowOrigins");
  EXPECT_EQ(nearest("MAX-BODY", keys), "maxBody");
  EXPECT_EQ(nearest("arg", keys), "args");
  EXPECT_EQ(nearest("uri", keys), "url");
  EXPECT_EQ(nearest("agrs", keys), "args") << "two letters changed places";
}

TEST(config_keys, guess_nothing_from_afar) {
  const std::vector<std::string_view> keys = {"command", "args", "env", "url"};
  for (const auto& name :
       {std::string("cmd"), std::string("x"), std::string(), std::string("timeout"), std::string(1000, 'c')})
    EXPECT_EQ(nearest(name, keys), "") << name;
}

} // namespace troupe::tests::config_keys_test
