#include "tests/support/login_driver.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace troupe::tests::issuer_habits_test {

using namespace issuer_world;

namespace {

outcome with_metadata(const std::string& text) {
  login_answers of;
  of.pages[oauth_place] = {200, text};
  return log_in(of);
}

} // namespace

TEST(issuer_habits, are_none_when_all_is_as_it_should_be) {
  const auto done = log_in({});
  EXPECT_TRUE(done.login) << done.why;
  EXPECT_TRUE(done.by_user);
}

// -- metadata documents -------------------------------------------------------------------------

TEST(issuer_habits, metadata_is_at_one_of_three_places_only) {
  const std::string issuer = "https://as.example.com/tenant";
  for (const std::string place : {"https://as.example.com/.well-known/oauth-authorization-server/tenant",
                                  "https://as.example.com/.well-known/openid-configuration/tenant",
                                  "https://as.example.com/tenant/.well-known/openid-configuration"}) {
    login_answers of;
    of.pages = {{resource_place + "/mcp", {200, about(issuer)}}, {place, {200, metadata(issuer)}}};
    const auto done = log_in(of);
    EXPECT_TRUE(done.login) << place << done.why;
    EXPECT_EQ(done.places.back(), place);
  }
}

TEST(issuer_habits, metadata_is_found_by_openid_alone) {
  login_answers of;
  of.pages.erase(oauth_place);
  of.pages[openid_place] = {200, metadata("https://as.example.com")};
  EXPECT_TRUE(log_in(of).login);
}

TEST(issuer_habits, the_document_about_the_server_is_at_the_root_alone) {
  login_answers of;
  of.pages.erase(resource_place + "/mcp");
  of.pages[resource_place] = {200, about("https://as.example.com", "https://mcp.example.com/")};
  EXPECT_TRUE(log_in(of).login);
}

TEST(issuer_habits, the_challenge_names_a_document_that_is_not_there) {
  login_answers of;
  of.told.metadata_url = "https://mcp.example.com/gone";
  EXPECT_TRUE(log_in(of).login);
}

TEST(issuer_habits, the_challenge_names_a_document_by_a_relative_url) {
  login_answers of;
  of.told.metadata_url = "/.well-known/oauth-protected-resource/mcp";
  EXPECT_TRUE(log_in(of).login);
}

TEST(issuer_habits, every_path_is_answered_with_a_page_for_people) {
  login_answers of;
  of.pages[resource_place + "/mcp"] = {200, "<!doctype html><title>Welcome</title>"};
  of.pages[resource_place] = {200, about("https://as.example.com", "https://mcp.example.com")};
  of.pages[oauth_place] = {200, "<!doctype html><title>Welcome</title>"};
  of.pages[openid_place] = {200, metadata("https://as.example.com")};
  EXPECT_TRUE(log_in(of).login);
}

TEST(issuer_habits, a_document_is_forbidden_or_fails_where_it_is_not) {
  for (const auto status : {401, 403, 405, 500, 503}) {
    login_answers of;
    of.pages[oauth_place] = {status, "no"};
    of.pages[openid_place] = {200, metadata("https://as.example.com")};
    EXPECT_TRUE(log_in(of).login) << status;
  }
}

// 2025-03-26, authorization, 2.3.3
TEST(issuer_habits, a_server_of_2025_03_26_has_no_documents_but_default_paths) {
  login_answers of;
  of.pages.clear();
  const auto done = log_in(of);
  ASSERT_TRUE(done.login) << done.why;
  EXPECT_EQ(done.forms.at(0).url, "https://mcp.example.com/register");
  EXPECT_TRUE(done.asked_user.starts_with("https://mcp.example.com/authorize?")) << done.asked_user;
  EXPECT_NE(done.asked_user.find("code_challenge_method=S256"), std::string::npos);
  EXPECT_EQ(done.forms.at(1).url, "https://mcp.example.com/token");
  EXPECT_EQ(done.login->issuer, "https://mcp.example.com");
}

TEST(issuer_habits, default_paths_are_not_for_a_server_that_says_more) {
  login_answers of_another;
  of_another.pages.erase(oauth_place);
  EXPECT_NE(log_in(of_another).why, "") << "a document names the issuer, which has no metadata";
  for (const auto& [status, text] : {page{200, metadata("https://mcp.example.com", "")},
                                     page{200, metadata("https://other.example.com")}, page{503, "later"}}) {
    login_answers of;
    of.pages = {{"https://mcp.example.com/.well-known/oauth-authorization-server", {status, text}}};
    const auto done = log_in(of);
    EXPECT_NE(done.why, "");
    EXPECT_TRUE(done.forms.empty());
  }
}

TEST(issuer_habits, default_paths_ask_nobody_where_nothing_registers_clients) {
  login_answers of;
  of.pages.clear();
  of.registration = {404, "not found"};
  const auto done = log_in(of);
  EXPECT_EQ(done.why, "the authorization server registers no clients (HTTP 404)");
  EXPECT_EQ(done.asked_user, "");
}

// -- names ------------------------------------------------------------------------------------

TEST(issuer_habits, the_slash_of_an_origin_is_in_one_place_alone) {
  for (const std::string named : {"https://as.example.com", "https://as.example.com/"})
    for (const std::string said : {"https://as.example.com", "https://as.example.com/"})
      for (const std::string back : {"", "&iss=https%3A%2F%2Fas.example.com", "&iss=https%3A%2F%2Fas.example.com%2F"}) {
        login_answers of;
        of.pages = {{resource_place + "/mcp", {200, about(named)}}, {oauth_place, {200, metadata(said)}}};
        of.back += back;
        EXPECT_TRUE(log_in(of).login) << named << ' ' << said << ' ' << back;
      }
}

TEST(issuer_habits, the_host_is_in_capitals_or_the_default_port_is_written) {
  EXPECT_TRUE(with_metadata(metadata("https://AS.example.com")).login);
  EXPECT_TRUE(with_metadata(metadata("https://as.example.com:443/")).login);
  login_answers of;
  of.pages[resource_place + "/mcp"] = {200, about("https://as.example.com", "https://MCP.example.com:443/mcp/")};
  EXPECT_TRUE(log_in(of).login);
}

TEST(issuer_habits, another_issuer_is_refused_all_the_same) {
  for (const std::string other :
       {"https://as.example.com/a", "https://as.example.com//", "http://as.example.com", "https://as.example.com:8443",
        "https://evil.example.com", "https://as.example.com.evil", "https://as.example.com/{tenant}/v2.0", ""}) {
    EXPECT_NE(with_metadata(metadata(other)).why, "") << other;
    login_answers of;
    of.pages[oauth_place] = {
        200, metadata("https://as.example.com", pkce + R"(,"authorization_response_iss_parameter_supported":true)")};
    of.back += "&iss=" + other;
    EXPECT_NE(log_in(of).why, "") << other;
  }
}

TEST(issuer_habits, a_registration_outlives_the_slash_of_its_issuer_and_no_other_change) {
  login_answers of;
  of.kept = kept_login{.issuer = "https://as.example.com/", .client_id = "c0", .redirect_url = callback};
  EXPECT_EQ(log_in(of).login->client_id, "c0");
  of.kept->issuer = "https://as.example.com/a";
  EXPECT_EQ(log_in(of).login->client_id, "c1");
}

TEST(issuer_habits, optional_endpoints_are_null) {
  login_answers of;
  of.pages[oauth_place] = {200, R"({"issuer":"https://as.example.com","registration_endpoint":null,)"
                                R"("authorization_endpoint":"https://as.example.com/auth",)"
                                R"("token_endpoint":"https://as.example.com/token")" +
                                    pkce + "}"};
  EXPECT_NE(log_in(of).why.find("--client-id"), std::string::npos);
  of.rules.client_id = "mine";
  EXPECT_TRUE(log_in(of).login);
}

TEST(issuer_habits, the_authorization_endpoint_has_a_query) {
  login_answers of;
  of.pages[oauth_place] = {200, R"({"issuer":"https://as.example.com","token_endpoint":"https://as.example.com/token",)"
                                R"("authorization_endpoint":"https://as.example.com/auth?p=signin")" +
                                    pkce + "}"};
  of.rules.client_id = "mine";
  EXPECT_TRUE(log_in(of).asked_user.starts_with("https://as.example.com/auth?p=signin&response_type=code&"));
}

// RFC 9728, 7.6
TEST(issuer_habits, a_server_names_several_authorization_servers) {
  const std::string two = R"(https://gone.example.com","https://as.example.com)";
  login_answers of;
  of.pages[resource_place + "/mcp"] = {200, about(two)};
  EXPECT_TRUE(log_in(of).login) << "the first has no metadata";
  of.pages["https://gone.example.com/.well-known/oauth-authorization-server"] = {200,
                                                                                 metadata("https://gone.example.com")};
  EXPECT_EQ(log_in(of).login->issuer, "https://gone.example.com") << "the first is of use";
  of.rules.issuer = "https://as.example.com";
  EXPECT_EQ(log_in(of).login->issuer, "https://as.example.com");
  of.rules.issuer = "https://other.example.com";
  EXPECT_NE(log_in(of).why.find("names another issuer than --issuer (https://gone.example.com)"), std::string::npos);
}

TEST(issuer_habits, a_server_names_no_authorization_server_but_the_user_does) {
  login_answers of;
  of.pages = {{oauth_place, {200, metadata("https://as.example.com")}}};
  of.rules.issuer = "https://as.example.com";
  const auto done = log_in(of);
  ASSERT_TRUE(done.login) << done.why;
  EXPECT_EQ(done.login->issuer, "https://as.example.com");
  of.pages.clear();
  const auto refused = log_in(of);
  EXPECT_NE(refused.why, "") << "it has no metadata, and default paths are for the origin of the server";
  EXPECT_TRUE(refused.forms.empty());
  of.rules.issuer = "https://mcp.example.com/";
  EXPECT_TRUE(log_in(of).login);
}

// RFC 6750, 5.3
TEST(issuer_habits, no_token_is_sent_in_clear_to_another_machine) {
  login_answers of;
  of.rules.server_url = "http://mcp.example.com/mcp";
  of.kept = kept_login{.issuer = "https://as.example.com", .access_token = "t0"};
  const auto refused = log_in(of);
  EXPECT_NE(refused.why.find("in clear"), std::string::npos) << refused.why;
  EXPECT_TRUE(refused.places.empty());
  EXPECT_FALSE(may_use(*of.kept, of.rules));
  for (const std::string here : {"http://127.0.0.1:3000/mcp", "http://localhost/mcp", "http://[::1]:3000/mcp"}) {
    of.rules.server_url = here;
    EXPECT_TRUE(may_use(*of.kept, of.rules)) << here;
  }
}

// -- PKCE -------------------------------------------------------------------------------------

TEST(issuer_habits, pkce_is_supported_but_not_named) {
  for (const std::string nothing : {"", R"(,"code_challenge_methods_supported":null)"}) {
    login_answers of;
    of.pages[oauth_place] = {200, metadata("https://as.example.com", nothing)};
    const auto refused = log_in(of);
    EXPECT_NE(refused.why.find("--assume-pkce"), std::string::npos) << refused.why;
    of.rules.assumes_pkce = true;
    const auto done = log_in(of);
    EXPECT_TRUE(done.login) << done.why;
    EXPECT_NE(done.asked_user.find("code_challenge_method=S256"), std::string::npos);
    EXPECT_NE(done.forms.back().body.find("code_verifier=verifier"), std::string::npos);
  }
}

TEST(issuer_habits, pkce_without_s256_is_refused_whatever_is_assumed) {
  for (const std::string other : {R"(["plain"])", "[]", R"("S256")"}) {
    login_answers of;
    of.pages[oauth_place] = {200,
                             metadata("https://as.example.com", R"(,"code_challenge_methods_supported":)" + other)};
    of.rules.assumes_pkce = true;
    EXPECT_NE(log_in(of).why, "") << other;
  }
}

// -- registration -----------------------------------------------------------------------------

TEST(issuer_habits, a_client_is_registered_with_200_or_202) {
  for (const auto status : {200, 201, 202}) {
    login_answers of;
    of.registration.first = status;
    EXPECT_TRUE(log_in(of).login) << status;
  }
}

TEST(issuer_habits, a_public_client_is_given_a_secret) {
  login_answers of;
  of.registration.second = R"({"client_id":"c1","client_secret":"s"})";
  const auto basic = log_in(of);
  EXPECT_EQ(basic.forms.back().fields.back().first, "Authorization");
  of.registration.second =
      R"({"client_id":"c1","client_secret":"s","token_endpoint_auth_method":"client_secret_post"})";
  EXPECT_NE(log_in(of).forms.back().body.find("&client_secret=s"), std::string::npos);
  of.registration.second = R"({"client_id":"c1","client_secret":"s","token_endpoint_auth_method":"none"})";
  EXPECT_EQ(log_in(of).forms.back().body.find("client_secret"), std::string::npos);
  of.registration.second = R"({"client_id":"c1","client_secret":null})";
  EXPECT_EQ(log_in(of).forms.back().body.find("client_secret"), std::string::npos);
}

TEST(issuer_habits, clients_cannot_be_public_or_have_no_refresh_tokens) {
  const auto registered = [](const std::string& told) {
    login_answers of;
    of.pages[oauth_place] = {200, metadata("https://as.example.com", pkce + told)};
    return log_in(of).forms.at(0).body;
  };
  for (const auto& [proofs, proof] :
       {std::pair<std::string, std::string>{R"(["client_secret_post"])", "client_secret_post"},
        {R"(["client_secret_post","client_secret_basic"])", "client_secret_basic"},
        {R"(["private_key_jwt"])", "client_secret_basic"},
        {R"(["client_secret_basic","none"])", "none"},
        {"null", "none"},
        {"[]", "none"}})
    EXPECT_NE(registered(R"(,"token_endpoint_auth_methods_supported":)" + proofs)
                  .find(R"("token_endpoint_auth_method":")" + proof + '"'),
              std::string::npos)
        << proofs;
  EXPECT_NE(registered("").find(R"("grant_types":["authorization_code","refresh_token"])"), std::string::npos);
  EXPECT_NE(
      registered(R"(,"grant_types_supported":["authorization_code"])").find(R"("grant_types":["authorization_code"])"),
      std::string::npos);
}

TEST(issuer_habits, a_client_is_registered_with_a_proof_that_is_not_known_here) {
  login_answers of;
  of.registration.second = R"({"client_id":"c1","token_endpoint_auth_method":"private_key_jwt"})";
  const auto refused = log_in(of);
  EXPECT_NE(refused.why.find("private_key_jwt"), std::string::npos) << refused.why;
  EXPECT_EQ(refused.asked_user, "");
}

TEST(issuer_habits, clients_are_registered_at_a_url_that_is_not_https) {
  login_answers of;
  of.pages[oauth_place] = {200,
                           R"({"issuer":"https://as.example.com","registration_endpoint":"http://as.example.com/reg",)"
                           R"("authorization_endpoint":"https://as.example.com/auth",)"
                           R"("token_endpoint":"https://as.example.com/token")" +
                               pkce + "}"};
  const auto refused = log_in(of);
  EXPECT_NE(refused.why.find("not https"), std::string::npos) << refused.why;
  EXPECT_TRUE(refused.forms.empty());
  of.rules.client_id = "mine";
  EXPECT_TRUE(log_in(of).login) << "nobody is registered";
}

// -- callback of the browser --------------------------------------------------------------------

TEST(issuer_habits, the_browser_brings_more_than_was_asked_for) {
  login_answers of;
  of.back = "state=state&session_state=x.y&code=4%2F0A+b&scope=openid%20email&authuser=0&prompt=consent";
  const auto done = log_in(of);
  ASSERT_TRUE(done.login) << done.why;
  EXPECT_NE(done.forms.back().body.find("&code=4%2F0A%20b&"), std::string::npos) << done.forms.back().body;
}

} // namespace troupe::tests::issuer_habits_test
