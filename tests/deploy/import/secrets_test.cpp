#include "deploy/import/secrets.hpp"

#include <gtest/gtest.h>

namespace troupe::deploy {

namespace {

namespace json = boost::json;

json::object object(const std::string& text) { return json::parse(text).as_object(); }

} // namespace

TEST(secrets, are_known_by_their_name_or_their_beginning) {
  EXPECT_TRUE(looks_secret("GITHUB_TOKEN", "abcdefgh"));
  EXPECT_TRUE(looks_secret("X-API-Key", "abcdefgh"));
  EXPECT_TRUE(looks_secret("ANY", "ghp_0123456789abcdef"));
  EXPECT_FALSE(looks_secret("GITHUB_TOKEN", "abcdefg"));
  EXPECT_FALSE(looks_secret("ANY", "abcdefgh"));
  EXPECT_FALSE(looks_secret("API_KEY", "<YOUR_API_KEY>"));
  EXPECT_FALSE(looks_secret("API_KEY", "your_api_key"));
  EXPECT_FALSE(looks_secret("API_KEY", "${API_KEY_HERE}"));
  EXPECT_FALSE(looks_secret("TOKEN_LIMIT", "1000000000"));
  EXPECT_FALSE(looks_secret("KEY_FILE", "/home/ann/key.pem"));
}

TEST(secrets, are_counted_in_all_parts_of_an_entry) {
  EXPECT_EQ(
      count_secrets(object(R"({"env": {"A_KEY": "abcdefgh", "N": 1}, "headers": {"Authorization": "Bearer abcdefgh"},
    "args": ["--token", "abcdefgh", "--api-key=abcdefgh", "abcdefgh"], "url": "https://u:p@host/mcp"})")),
      5u);
  EXPECT_EQ(count_secrets(object(R"({"url": "https://host/mcp?api_key=abcdefgh"})")), 1u);
  EXPECT_EQ(count_secrets(object(R"({"url": "https://host/mcp?q=abcdefgh&x", "args": ["--tokens"], "env": []})")), 0u);
}

TEST(secrets, are_replaced_by_variables) {
  auto entry = object(R"({"env": {"A_KEY": "abcdefgh", "PLAIN": "x"}, "headers": {"Authorization": "Bearer abcdefgi"},
    "args": ["--token", "abcdefgj", "--api-key=abcdefgk", "y"]})");
  auto other = object(R"({"env": {"A_KEY": "another1", "B_KEY": "abcdefgh", "C_KEY": "it's mine"}})");
  taken_secrets taken;
  take_secrets("my server", entry, taken);
  take_secrets("other", other, taken);
  EXPECT_EQ(entry, object(R"({"env": {"A_KEY": "${A_KEY}", "PLAIN": "x"},
    "headers": {"Authorization": "Bearer ${MY_SERVER_AUTHORIZATION}"},
    "args": ["--token", "${MY_SERVER_TOKEN}", "--api-key=${MY_SERVER}", "y"]})"));
  EXPECT_EQ(other, object(R"({"env": {"A_KEY": "${A_KEY_2}", "B_KEY": "${A_KEY}", "C_KEY": "it's mine"}})"));
  EXPECT_EQ(secrets_text(taken), "A_KEY='abcdefgh'\nA_KEY_2='another1'\nMY_SERVER='abcdefgk'\n"
                                 "MY_SERVER_AUTHORIZATION='abcdefgi'\nMY_SERVER_TOKEN='abcdefgj'\n");
}

} // namespace troupe::deploy
