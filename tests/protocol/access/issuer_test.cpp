#include "protocol/access/issuer.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::issuer_test {

using namespace protocol;

namespace {

using urls = std::vector<std::string>;

std::string why_not(const std::string& text) {
  auto read = read_issuer_metadata(text, "https://as");
  return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "";
}

} // namespace

// RFC 8414, 3.1; OpenID Connect Discovery 1.0, 4
TEST(issuer, has_metadata_at_places_that_are_known) {
  EXPECT_EQ(metadata_urls("https://as"),
            (urls{"https://as/.well-known/oauth-authorization-server", "https://as/.well-known/openid-configuration"}));
  EXPECT_EQ(metadata_urls("https://as:8443/a/b/"), (urls{"https://as:8443/.well-known/oauth-authorization-server/a/b",
                                                         "https://as:8443/.well-known/openid-configuration/a/b",
                                                         "https://as:8443/a/b/.well-known/openid-configuration"}));
  EXPECT_EQ(metadata_urls("as"), urls{});
}

TEST(issuer, is_looked_for_at_one_url_after_the_other) {
  document_search search{{"a", "b"}};
  EXPECT_FALSE(search.is_under_way());
  EXPECT_EQ(search.next(), "a");
  EXPECT_EQ(search.next(), "b");
  EXPECT_TRUE(search.is_under_way());
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_FALSE(search.is_under_way());
}

TEST(issuer, is_looked_for_no_longer_once_it_is_found) {
  document_search search{{"a", "b"}};
  EXPECT_EQ(search.next(), "a");
  search.end();
  EXPECT_FALSE(search.is_under_way());
  EXPECT_EQ(search.next(), std::nullopt);
}

TEST(issuer, says_where_its_keys_are) {
  auto read = read_issuer_metadata(
      R"({"issuer":"https://as","jwks_uri":"https://as/keys","introspection_endpoint":"https://as/i","token_endpoint":"https://as/t"})",
      "https://as");
  ASSERT_TRUE(std::holds_alternative<issuer_metadata>(read));
  EXPECT_EQ(std::get<issuer_metadata>(read), (issuer_metadata{"https://as/keys", "https://as/i", "https://as/t"}));
}

// RFC 8414, 3.3: the issuer in the document must be exactly the requested one
TEST(issuer, is_not_believed_when_it_names_another) {
  for (auto same : {"https://as/", "https://AS", "https://as:443"})
    EXPECT_EQ(why_not(R"({"issuer":")" + std::string{same} + R"(","jwks_uri":"https://as/keys"})"), "") << same;
  for (auto other : {"https://as/a", "http://as", "https://as:8443", "https://as.example", "https://as//", "as"})
    EXPECT_EQ(why_not(R"({"issuer":")" + std::string{other} + R"(","jwks_uri":"https://as/keys"})"),
              "its metadata names another issuer")
        << other;
  EXPECT_EQ(why_not(R"({"jwks_uri":"https://as/keys"})"), "its metadata names another issuer");
}

TEST(issuer, cannot_be_used_without_keys) {
  EXPECT_NE(why_not(R"({"issuer":"https://as"})"), "");
  EXPECT_NE(why_not(R"({"issuer":"https://as","jwks_uri":"file:///etc/passwd"})"), "");
  EXPECT_NE(why_not("[]"), "");
  EXPECT_EQ(why_not(R"({"issuer":"https://as","introspection_endpoint":"https://as/i"})"), "");
}

} // namespace troupe::tests::issuer_test
