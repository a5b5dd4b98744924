// Requests to a token endpoint, and its answers.

#include "protocol/grants/token_grant.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::grant_request_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

std::string why_not(int status, const std::string& body) {
  auto read = read_grant_answer(status, body);
  auto* why = std::get_if<std::string>(&read);
  return why ? *why : "";
}

granted_token granted(const std::string& body) {
  auto read = read_grant_answer(200, body);
  auto* one = std::get_if<granted_token>(&read);
  return one ? *one : granted_token{"no token: " + std::get<std::string>(read)};
}

} // namespace

// RFC 6749, 4.4.2 and 2.3.1; RFC 8707, 2
TEST(grant_request, asks_for_the_gateways_own_token) {
  grant_rules rules{.client_id = "troupe", .client_secret = "a b%"};
  EXPECT_EQ(grant_form(rules, ""), "grant_type=client_credentials");
  EXPECT_EQ(grant_fields(rules), (fields{{"Content-Type", "application/x-www-form-urlencoded"},
                                         {"Authorization", "Basic dHJvdXBlOmElMjBiJTI1"}}));
  rules.scopes = {"read", "write"};
  rules.resource = "https://far/mcp?x=1";
  rules.audience = "far";
  EXPECT_EQ(grant_form(rules, ""), "grant_type=client_credentials&scope=read%20write&resource=https%3A%2F%2Ffar%2Fmcp"
                                   "%3Fx%3D1&audience=far");
  rules.by = grant_rules::proof::post;
  rules.scopes = {};
  rules.resource = rules.audience = "";
  EXPECT_EQ(grant_form(rules, ""), "grant_type=client_credentials&client_id=troupe&client_secret=a%20b%25");
  EXPECT_EQ(grant_fields(rules), (fields{{"Content-Type", "application/x-www-form-urlencoded"}}));
}

// RFC 8693, 2.1
TEST(grant_request, asks_for_a_token_in_exchange_for_the_callers) {
  grant_rules rules{.is = grant_rules::kind::token_exchange, .client_id = "troupe", .client_secret = "s"};
  EXPECT_EQ(grant_form(rules, "a.b+c&d"),
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=a.b%2Bc%26d&"
            "subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token&"
            "requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token");
}

// RFC 6749, 5.1
TEST(grant_answer, has_a_token_and_its_life) {
  EXPECT_EQ(granted(R"({"access_token":"a-._~+/=","token_type":"bearer","expires_in":60})"),
            (granted_token{"a-._~+/=", 60s, true}));
  EXPECT_EQ(granted(R"({"access_token":"a","token_type":"Bearer","expires_in":"90"})"),
            (granted_token{"a", 90s, true}));
  EXPECT_EQ(granted(R"({"access_token":"a","token_type":"Bearer"})"), (granted_token{"a", 300s}));
  EXPECT_EQ(granted(R"({"access_token":"a","token_type":"Bearer","expires_in":1e300})"),
            (granted_token{"a", 24h, true}));
  EXPECT_EQ(granted(R"({"access_token":"a","token_type":"Bearer","expires_in":0})"), (granted_token{"a", 0s, true}));
}

TEST(grant_answer, has_no_token_that_could_end_a_header) {
  for (auto* bad : {R"("")", R"("a b")", R"("a\r\nX: y")", R"("a\u0000")", R"("é")", "1", "null", R"(["a"])"})
    EXPECT_EQ(why_not(200, std::string{R"({"token_type":"Bearer","access_token":)"} + bad + "}"),
              "its answer has no token that can be sent")
        << bad;
  auto of_size = [](std::size_t size) {
    return R"({"token_type":"Bearer","access_token":")" + std::string(size, 'a') + "\"}";
  };
  EXPECT_EQ(why_not(200, of_size(longest_granted_token)), "");
  EXPECT_NE(why_not(200, of_size(longest_granted_token + 1)), "");
}

TEST(grant_answer, is_refused_for_what_is_strange_about_it) {
  EXPECT_EQ(why_not(200, "<html>"), "its answer is no JSON object");
  EXPECT_EQ(why_not(200, "[]"), "its answer is no JSON object");
  EXPECT_EQ(why_not(200, R"({"access_token":"a","token_type":"N_A"})"),
            "its answer has a token of another type than Bearer");
  for (auto* bad : {"-1", "true", R"("soon")", "[]"})
    EXPECT_EQ(why_not(200, std::string{R"({"access_token":"a","token_type":"Bearer","expires_in":)"} + bad + "}"),
              "its answer has an expiry that is no number of seconds")
        << bad;
}

// RFC 6749, 5.2. The description may contain anything.
TEST(grant_answer, is_a_refusal_with_a_code) {
  EXPECT_EQ(why_not(400, R"({"error":"invalid_grant","error_description":"secret"})"),
            "it answers HTTP 400 (invalid_grant)");
  EXPECT_EQ(why_not(401, R"({"error":"a\r\nb"})"), "it answers HTTP 401");
  EXPECT_EQ(why_not(302, ""), "it answers HTTP 302");
  EXPECT_EQ(why_not(500, "oops"), "it answers HTTP 500");
}

} // namespace troupe::tests::grant_request_test
