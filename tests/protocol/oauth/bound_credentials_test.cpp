#include "tests/support/login_driver.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::bound_credentials_test {

using namespace issuer_world;

namespace {

login_answers with_secret(const std::string& issuer) {
  login_answers result;
  result.rules.client_id = "mine";
  result.rules.client_secret = "s3cret";
  result.rules.issuer = issuer;
  return result;
}

kept_login kept_of(const std::string& issuer) {
  return {.issuer = issuer,
          .token_url = issuer + "/token",
          .client_id = "mine",
          .client_secret = "s3cret",
          .access_token = "t0",
          .refresh_token = "r0"};
}

} // namespace

// 2026-07-28, authorization, "Authorization Server Binding"
TEST(bound_credentials, are_shown_to_their_issuer) {
  for (auto issuer : {"https://as.example.com", "https://as.example.com/", "https://AS.example.com:443"}) {
    const auto done = log_in(with_secret(issuer));
    ASSERT_TRUE(done.login) << done.why;
    EXPECT_EQ(done.forms.back().fields.back().first, "Authorization");
  }
}

TEST(bound_credentials, are_shown_to_nobody_without_an_issuer) {
  const auto refused = log_in(with_secret(""));
  EXPECT_EQ(refused.why, "the client secret is for one issuer only: name it with --issuer (the server names "
                         "https://as.example.com)");
  EXPECT_TRUE(refused.forms.empty());
  EXPECT_EQ(refused.asked_user, "");
}

TEST(bound_credentials, are_shown_to_no_other_issuer) {
  for (auto other : {"https://other.example.com", "https://as.example.com/a", "https://as.example.com:8443",
                     "http://as.example.com", "https://as.example.com.evil"}) {
    const auto refused = log_in(with_secret(other));
    EXPECT_EQ(refused.why,
              "the server names another issuer than --issuer (https://as.example.com): it gets no credentials")
        << other;
    EXPECT_TRUE(refused.forms.empty());
    EXPECT_EQ(refused.places.size(), 1U) << "not even its metadata are fetched";
  }
}

TEST(bound_credentials, are_shown_to_their_issuer_alone_where_no_document_names_one) {
  auto of = with_secret("https://as.example.com");
  of.pages.clear();
  const auto refused = log_in(of);
  EXPECT_EQ(refused.why, "the authorization server cannot be used: no metadata (HTTP 404)");
  EXPECT_TRUE(refused.forms.empty());
  for (const auto& place : refused.places)
    EXPECT_TRUE(place.starts_with(resource_place) || place.starts_with("https://as.example.com/")) << place;
}

TEST(bound_credentials, that_were_kept_are_refreshed_at_their_issuer_alone) {
  auto of = with_secret("https://as.example.com");
  of.kept = kept_of("https://as.example.com");
  EXPECT_FALSE(log_in(of).by_user);
  of.kept = kept_of("https://evil.example.com");
  const auto anew = log_in(of);
  EXPECT_TRUE(anew.by_user);
  for (auto& form : anew.forms)
    EXPECT_EQ(form.url, "https://as.example.com/token") << "and r0 goes nowhere: " << form.body;
  of.rules.issuer.clear();
  EXPECT_NE(log_in(of).why, "");
}

TEST(bound_credentials, of_a_registered_client_are_for_the_issuer_that_registered_it) {
  login_answers of;
  of.kept = kept_of("https://before.example.com");
  of.kept->refresh_token.clear();
  of.kept->redirect_url = callback;
  const auto done = log_in(of);
  ASSERT_TRUE(done.login) << done.why;
  EXPECT_EQ(done.login->client_id, "c1");
  EXPECT_EQ(done.login->client_secret, "");
}

TEST(bound_credentials, of_a_client_without_a_secret_may_be_bound_too) {
  login_answers of;
  of.rules.issuer = "https://other.example.com";
  EXPECT_NE(log_in(of).why, "");
  of.rules.issuer = "https://as.example.com";
  EXPECT_TRUE(log_in(of).login);
}

// 2025-11-25, security best practices, "Server-Side Request Forgery (SSRF)"
TEST(named_places, may_be_private_where_the_user_has_said_so_alone) {
  const login_rules far{.server_url = "https://mcp.example.com:8443/mcp"};
  const login_rules bound{.server_url = "https://mcp.example.com/mcp", .issuer = "https://sso.corp:9443/tenant"};
  const login_rules here{.server_url = "http://127.0.0.1:3000/mcp"};
  EXPECT_TRUE(may_be_private("https://MCP.example.com:8443/.well-known/x", far));
  EXPECT_TRUE(may_be_private("https://sso.corp:9443/token", bound));
  EXPECT_TRUE(may_be_private("http://127.0.0.1:3000/token", here));
  EXPECT_TRUE(may_be_private("http://localhost:9000/token", here));
  for (auto other : {"https://mcp.example.com/x", "https://mcp.example.com:22/", "https://10.0.0.1/",
                     "https://127.0.0.1/", "https://localhost:8443/", "https://[::1]:8443/", "https://169.254.169.254/",
                     "https://sso.corp/", "no url", ""})
    EXPECT_FALSE(may_be_private(other, far)) << other;
  for (auto other : {"https://sso.corp/token", "https://other.corp:9443/token", "https://127.0.0.1/"})
    EXPECT_FALSE(may_be_private(other, bound)) << other;
  for (auto other : {"https://10.0.0.1/", "https://127.0.0.1.example.com/", "https://169.254.169.254/"})
    EXPECT_FALSE(may_be_private(other, here)) << other;
}

} // namespace troupe::tests::bound_credentials_test
