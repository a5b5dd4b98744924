#include "protocol/grants/token_grant.hpp"
#include "tests/support/login_driver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace troupe::tests::token_habits_test {

using namespace issuer_world;

namespace {

outcome with_tokens(int status, const std::string& body) {
  login_answers of;
  of.tokens = {status, body};
  return log_in(of);
}

} // namespace

TEST(token_habits, tokens_come_with_201) {
  for (const auto status : {200, 201, 202, 203})
    EXPECT_TRUE(with_tokens(status, R"({"access_token":"t1","token_type":"Bearer"})").login) << status;
  for (const auto status : {204, 206})
    EXPECT_NE(with_tokens(status, "").why, "") << status;
  for (const auto status : {302, 400, 401, 500})
    EXPECT_NE(with_tokens(status, R"({"access_token":"t1","token_type":"Bearer"})").why, "") << status;
}

TEST(token_habits, a_refresh_is_answered_with_201) {
  login_answers of;
  of.kept = kept_login{.issuer = "https://as.example.com",
                       .token_url = "https://as.example.com/token",
                       .client_id = "c1",
                       .refresh_token = "r0"};
  of.tokens = {201, R"({"access_token":"t1","token_type":"Bearer","refresh_token":"r1"})"};
  const auto done = log_in(of);
  EXPECT_EQ(done.login.value_or(kept_login{}).refresh_token, "r1");
  EXPECT_FALSE(done.by_user);
}

TEST(token_habits, a_refresh_is_put_off) {
  for (const auto status : {408, 429, 500, 503}) {
    login_answers of;
    of.kept = kept_login{.token_url = "https://as.example.com/token", .client_id = "c1", .refresh_token = "r0"};
    of.tokens = {status, ""};
    const auto done = log_in(of);
    EXPECT_EQ(done.why, "the authorization server answers HTTP " + std::to_string(status));
    EXPECT_EQ(done.asked_user, "");
  }
}

TEST(token_habits, the_type_of_a_token_is_missing_or_in_capitals) {
  for (const std::string type :
       {"", R"(,"token_type":null)", R"(,"token_type":"")", R"(,"token_type":"bearer")", R"(,"token_type":"BEARER")"})
    EXPECT_TRUE(with_tokens(200, R"({"access_token":"t1")" + type + "}").login) << type;
  for (const std::string type : {"DPoP", "mac", "N_A"})
    EXPECT_NE(with_tokens(200, R"({"access_token":"t1","token_type":")" + type + R"("})").why, "") << type;
}

TEST(token_habits, an_expiry_is_a_text_a_fraction_or_not_told) {
  for (const auto& [said, expires] : {std::pair<std::string, std::int64_t>{R"("3600")", 4600},
                                      {"3600", 4600},
                                      {"3600.5", 4600},
                                      {R"("")", 0},
                                      {"null", 0}})
    EXPECT_EQ(
        with_tokens(200, R"({"access_token":"t1","expires_in":)" + said + "}").login.value_or(kept_login{}).expires,
        expires)
        << said;
  for (const std::string bad : {R"("soon")", "-1", "[]", "true"})
    EXPECT_NE(with_tokens(200, R"({"access_token":"t1","expires_in":)" + bad + "}").why, "") << bad;
}

TEST(token_habits, an_error_comes_with_200) {
  const auto refused = with_tokens(200, R"({"error":"bad_verification_code","error_description":"It has expired."})");
  EXPECT_NE(refused.why.find("bad_verification_code"), std::string::npos) << refused.why;
}

TEST(token_habits, a_token_has_characters_that_bearer_tokens_do_not_have) {
  EXPECT_TRUE(with_tokens(200, R"({"access_token":"7|se:cr,et!","token_type":"Bearer"})").login);
}

TEST(token_habits, a_granted_scope_is_a_list_or_null) {
  for (const std::string scope : {R"(["a","b"])", "null", R"("")"})
    EXPECT_TRUE(with_tokens(200, R"({"access_token":"t1","scope":)" + scope + "}").login) << scope;
}

TEST(token_habits, a_refresh_token_is_null_or_empty) {
  for (const std::string none : {"null", R"("")"})
    EXPECT_EQ(with_tokens(200, R"({"access_token":"t1","refresh_token":)" + none + "}")
                  .login.value_or(kept_login{})
                  .refresh_token,
              "")
        << none;
}

TEST(token_habits, are_the_same_for_tokens_that_the_gateway_fetches) {
  for (const std::string body :
       {R"({"access_token":"t"})", R"({"access_token":"t","token_type":"BEARER","expires_in":"60"})"})
    EXPECT_TRUE(std::holds_alternative<granted_token>(read_grant_answer(201, body))) << body;
  EXPECT_EQ(std::get<std::string>(read_grant_answer(200, R"({"error":"invalid_client"})")),
            "it answers HTTP 200 (invalid_client)");
}

} // namespace troupe::tests::token_habits_test
