#include "protocol/oauth/oauth_login.hpp"

#include "protocol/text/url.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace troupe::tests::oauth_login_test {

using namespace protocol;

namespace {

const std::string login_url = "https://mcp.example.com/mcp";
const std::string callback = "http://127.0.0.1:5000/callback";
const std::string document =
    R"({"resource":"https://mcp.example.com/mcp","authorization_servers":["https://as.example.com"],"scopes_supported":["read"]})";
const std::string server_metadata =
    R"({"issuer":"https://as.example.com","authorization_endpoint":"https://as.example.com/auth",)"
    R"("token_endpoint":"https://as.example.com/token","registration_endpoint":"https://as.example.com/reg",)"
    R"("authorization_response_iss_parameter_supported":true,"code_challenge_methods_supported":["S256"]})";
const std::string tokens =
    R"({"access_token":"t1","token_type":"Bearer","expires_in":60,"refresh_token":"r1","scope":"read"})";

kept_login kept() {
  return {.issuer = "https://as.example.com",
          .token_url = "https://as.example.com/token",
          .resource = login_url,
          .client_id = "c1",
          .redirect_url = callback,
          .client_scope = "read",
          .scope = "read",
          .access_token = "t0",
          .refresh_token = "r0"};
}

oauth_login new_login(const std::string& client_id = {}) {
  return oauth_login{{login_url, client_id, {}}, {"verifier", "challenge", "state"}};
}

/// The only effect of that kind; fails when there are other effects.
template <class Effect>
Effect sole(login_effects effects) {
  const auto* one = effects.size() == 1 ? std::get_if<Effect>(&effects.front()) : nullptr;
  EXPECT_NE(one, nullptr);
  return one ? *one : Effect{};
}

/// Runs the login until the browser returns.
std::string send_user(oauth_login& login, const bearer_challenge& told = {}) {
  login.begin(told, std::nullopt);
  login.answered(200, document, 0);
  login.answered(200, server_metadata, 0);
  login.callback_opened(callback);
  return sole<ask_user>(login.answered(201, R"({"client_id":"c1"})", 0)).url;
}

} // namespace

TEST(oauth_login, goes_from_the_document_about_the_server_to_tokens) {
  auto login = new_login();
  EXPECT_EQ(sole<get_document>(login.begin({}, std::nullopt)).url,
            "https://mcp.example.com/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(sole<get_document>(login.answered(404, "", 0)).url,
            "https://mcp.example.com/.well-known/oauth-protected-resource");
  EXPECT_EQ(sole<get_document>(login.answered(200, document, 0)).url,
            "https://as.example.com/.well-known/oauth-authorization-server");
  EXPECT_EQ(sole<get_document>(login.unanswered("it is away")).url,
            "https://as.example.com/.well-known/openid-configuration");
  EXPECT_EQ(sole<open_callback>(login.answered(200, server_metadata, 0)), open_callback{});
  auto registration = sole<oauth_form>(login.callback_opened(callback));
  EXPECT_EQ(registration.url, "https://as.example.com/reg");
  EXPECT_NE(registration.body.find(R"("redirect_uris":["http://127.0.0.1:5000/callback"])"), std::string::npos);
  EXPECT_EQ(sole<ask_user>(login.answered(201, R"({"client_id":"c1"})", 0)).url,
            "https://as.example.com/auth?response_type=code&client_id=c1"
            "&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcallback&code_challenge=challenge"
            "&code_challenge_method=S256&state=state&scope=read&resource=https%3A%2F%2Fmcp.example.com%2Fmcp");
  auto form = sole<oauth_form>(login.returned(read_login_return("code=a%2Bb&state=state&iss=https://as.example.com")));
  EXPECT_EQ(form.url, "https://as.example.com/token");
  EXPECT_EQ(form.body, "grant_type=authorization_code&code=a%2Bb&code_verifier=verifier"
                       "&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcallback"
                       "&resource=https%3A%2F%2Fmcp.example.com%2Fmcp&client_id=c1");
  auto done = sole<login_done>(login.answered(200, tokens, 1000)).login;
  EXPECT_EQ(done.access_token, "t1");
  EXPECT_EQ(done.refresh_token, "r1");
  EXPECT_EQ(done.expires, 1060);
  EXPECT_EQ(read_kept_login(kept_login_text(done)), done);
}

TEST(oauth_login, is_by_the_refresh_token_where_there_is_one) {
  auto login = new_login();
  EXPECT_EQ(sole<oauth_form>(login.begin({}, kept())).body,
            "grant_type=refresh_token&refresh_token=r0&resource=https%3A%2F%2Fmcp.example.com%2Fmcp&client_id=c1");
  auto done = sole<login_done>(login.answered(200, R"({"access_token":"t1","token_type":"bearer"})", 5)).login;
  EXPECT_EQ(done.access_token, "t1");
  EXPECT_EQ(done.refresh_token, "r0") << "it stays when no other comes";
  EXPECT_EQ(done.expires, 0);
}

TEST(oauth_login, asks_the_user_when_the_refresh_token_is_refused_but_not_when_the_server_is_away) {
  auto login = new_login();
  login.begin({}, kept());
  sole<get_document>(login.answered(400, R"({"error":"invalid_grant"})", 0));
  login.answered(200, document, 0);
  EXPECT_EQ(sole<open_callback>(login.answered(200, server_metadata, 0)).registered, callback);
  sole<ask_user>(login.callback_opened(callback));
  auto away = new_login();
  away.begin({}, kept());
  EXPECT_FALSE(sole<login_failed>(away.answered(503, "", 0)).by_user);
  auto gone = new_login();
  gone.begin({}, kept());
  EXPECT_EQ(sole<login_failed>(gone.unanswered("no route")).why, "the authorization server does not answer: no route");
}

TEST(oauth_login, asks_the_user_for_what_was_granted_and_what_is_lacking) {
  auto login = new_login();
  sole<get_document>(login.begin({"insufficient_scope", "", {"write"}}, kept()));
  login.answered(200, document, 0);
  login.answered(200, server_metadata, 0);
  auto registration = sole<oauth_form>(login.callback_opened(callback));
  EXPECT_NE(registration.body.find(R"("scope":"read write")"), std::string::npos) << registration.body;
  auto url = sole<ask_user>(login.answered(201, R"({"client_id":"c2"})", 0)).url;
  EXPECT_NE(url.find("scope=read%20write&"), std::string::npos) << url;
}

TEST(oauth_login, registers_anew_where_it_is_not_sent_back_to_the_same_place_or_by_another_issuer) {
  auto moved = new_login();
  moved.begin({"insufficient_scope", "", {}}, kept());
  moved.answered(200, document, 0);
  moved.answered(200, server_metadata, 0);
  sole<oauth_form>(moved.callback_opened("http://127.0.0.1:6000/callback"));
  auto elsewhere = new_login();
  auto of_other = kept();
  of_other.issuer = "https://other.example.com";
  elsewhere.begin({"insufficient_scope", "", {}}, of_other);
  elsewhere.answered(200, document, 0);
  EXPECT_EQ(sole<open_callback>(elsewhere.answered(200, server_metadata, 0)), open_callback{});
  sole<oauth_form>(elsewhere.callback_opened(callback));
}

TEST(oauth_login, doubts_a_client_of_before_that_is_refused_or_sends_nobody_back) {
  auto refused = new_login();
  refused.begin({}, kept());
  refused.answered(401, R"({"error":"invalid_client"})", 0);
  refused.answered(200, document, 0);
  refused.answered(200, server_metadata, 0);
  EXPECT_EQ(sole<oauth_form>(refused.callback_opened(callback)).url, "https://as.example.com/reg");
  auto silent = new_login();
  silent.begin({"insufficient_scope", "", {}}, kept());
  silent.answered(200, document, 0);
  silent.answered(200, server_metadata, 0);
  sole<ask_user>(silent.callback_opened(callback));
  EXPECT_TRUE(sole<login_failed>(silent.given_up()).doubts_client);
  auto fresh = new_login();
  send_user(fresh);
  EXPECT_FALSE(sole<login_failed>(fresh.given_up()).doubts_client);
  EXPECT_EQ(fresh.given_up(), login_effects{});
}

TEST(oauth_login, is_by_the_client_that_is_configured) {
  auto login = new_login("mine");
  login.begin({}, std::nullopt);
  login.answered(200, document, 0);
  login.answered(200, server_metadata, 0);
  auto url = sole<ask_user>(login.callback_opened(callback)).url;
  EXPECT_NE(url.find("client_id=mine&"), std::string::npos) << url;
}

TEST(oauth_login, takes_the_origin_for_the_issuer_where_no_document_is) {
  auto login = new_login();
  login.begin({}, std::nullopt);
  login.answered(404, "", 0);
  EXPECT_EQ(sole<get_document>(login.answered(404, "", 0)).url,
            "https://mcp.example.com/.well-known/oauth-authorization-server");
}

TEST(oauth_login, ends_by_what_the_user_brings_back) {
  const std::string iss = "&iss=https://as.example.com";
  for (const auto& [query, why] : {std::pair<std::string, std::string>{"code=c&state=state", "without the issuer"},
                                   {"code=c&state=state&iss=https://as.example.com/a", "another authorization"},
                                   {"error=access_denied&state=state" + iss, "(access_denied)"},
                                   {"state=state" + iss, "without a code"},
                                   {"code=a&code=b&state=state" + iss, "there twice"},
                                   {"code=c&state=state" + iss + iss, "there twice"},
                                   {"code=c&state=state&iss=%zz", "there twice"}}) {
    auto login = new_login();
    send_user(login);
    auto failed = sole<login_failed>(login.returned(read_login_return(query)));
    EXPECT_NE(failed.why.find(why), std::string::npos) << failed.why;
    EXPECT_TRUE(failed.by_user);
    EXPECT_TRUE(login.is_over());
  }
}

TEST(oauth_login, goes_on_when_something_else_comes_back) {
  auto login = new_login();
  send_user(login);
  EXPECT_EQ(login.returned(read_login_return("code=c&state=other&iss=https://as.example.com")), login_effects{});
  EXPECT_EQ(login.returned(read_login_return("")), login_effects{});
  sole<oauth_form>(login.returned(read_login_return("code=c&state=state&iss=https://as.example.com")));
}

} // namespace troupe::tests::oauth_login_test
