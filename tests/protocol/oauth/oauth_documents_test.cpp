#include "protocol/oauth/oauth_messages.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace troupe::tests::oauth_documents_test {

using namespace protocol;

namespace {

using texts = std::vector<std::string>;

const std::string server_url = "https://mcp.example.com/a/mcp?x=1";

std::string why_no_resource(const std::string& text, const std::string& url = server_url) {
  auto read = read_resource_document(text, url);
  const auto* bad = std::get_if<oauth_problem>(&read);
  return bad ? bad->why : "";
}

std::string about(const std::string& resource, const std::string& issuers = R"(["https://as.example.com"])") {
  return R"({"resource":")" + resource + R"(","authorization_servers":)" + issuers + "}";
}

std::string metadata(const std::string& more) {
  return R"({"issuer":"https://as.example.com","authorization_endpoint":"https://as.example.com/auth",)"
         R"("token_endpoint":"https://as.example.com/token")" +
         more + "}";
}

std::string why_no_server(const std::string& text) {
  auto read = read_authorization_server(text, "https://as.example.com", server_url);
  const auto* bad = std::get_if<oauth_problem>(&read);
  return bad ? bad->why : "";
}

const std::string pkce = R"(,"code_challenge_methods_supported":["plain","S256"])";

} // namespace

TEST(oauth_documents, are_where_the_server_says_or_at_well_known_places) {
  EXPECT_EQ(resource_document_urls(server_url, {"", "https://x.example.com/y", {}}),
            (texts{"https://x.example.com/y", "https://mcp.example.com/.well-known/oauth-protected-resource/a/mcp",
                   "https://mcp.example.com/.well-known/oauth-protected-resource"}));
  EXPECT_EQ(resource_document_urls(server_url, {"", "http://x.example.com/y", {}}),
            (texts{"https://mcp.example.com/.well-known/oauth-protected-resource/a/mcp",
                   "https://mcp.example.com/.well-known/oauth-protected-resource"}));
  EXPECT_EQ(resource_document_urls("https://mcp.example.com", {}),
            texts{"https://mcp.example.com/.well-known/oauth-protected-resource"});
}

TEST(oauth_documents, are_about_the_server_or_what_is_above_it) {
  EXPECT_EQ(why_no_resource(about("https://mcp.example.com/a/mcp")), "");
  EXPECT_EQ(why_no_resource(about("https://mcp.example.com/a")), "");
  EXPECT_EQ(why_no_resource(about("https://mcp.example.com")), "");
  const std::string other = "the document about the server is about another resource";
  EXPECT_EQ(why_no_resource(about("https://mcp.example.com/a/m")), other);
  EXPECT_EQ(why_no_resource(about("https://mcp.example.com/b")), other);
  EXPECT_EQ(why_no_resource(about("https://evil.example.com/a/mcp")), other);
  EXPECT_EQ(why_no_resource("{}"), other);
  EXPECT_EQ(why_no_resource("[]"), "the document about the server is no JSON object");
}

TEST(oauth_documents, name_an_issuer_that_codes_may_travel_to) {
  const auto plain = R"(["http://127.0.0.1:1"])";
  EXPECT_NE(why_no_resource(about("https://mcp.example.com", "[]")), "");
  EXPECT_NE(why_no_resource(about("https://mcp.example.com", plain)), "");
  EXPECT_EQ(why_no_resource(about("http://localhost:2/mcp", plain), "http://localhost:2/mcp"), "");
  EXPECT_EQ(why_no_resource(about("https://mcp.example.com", R"(["http://as.example.com","https://as.example.com"])")),
            "");
  EXPECT_NE(why_no_resource(about("http://mcp.example.com", R"(["http://as.example.com"])"), "http://mcp.example.com"),
            "");
}

TEST(oauth_documents, of_an_authorization_server_name_it_and_pkce) {
  EXPECT_EQ(why_no_server(metadata(pkce)), "");
  EXPECT_EQ(why_no_server(metadata("")).find("the authorization server does not say that it supports PKCE with S256"),
            0U);
  EXPECT_NE(why_no_server(metadata(R"(,"code_challenge_methods_supported":["plain"])")), "");
  EXPECT_NE(why_no_server(R"({"issuer":"https://as.example.com"})"), "");
  for (auto other : {"https://as.example.com/a", "http://as.example.com", "https://as.example.com:8443", ""})
    EXPECT_EQ(why_no_server(R"({"issuer":")" + std::string{other} + R"("})"),
              "the authorization server's metadata names another issuer")
        << other;
}

} // namespace troupe::tests::oauth_documents_test
