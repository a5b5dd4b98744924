#include "protocol/access/credentials.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::credentials_test {

using namespace protocol;

namespace {

credentials read(std::vector<http_field> fields) {
  http_request request{"POST", "/mcp?access_token=abc", std::move(fields), {}};
  return read_credentials(request);
}

bool is_bad(const credentials& what) { return std::holds_alternative<bad_credentials>(what); }

} // namespace

// RFC 6750, 2.1
TEST(credentials, are_a_bearer_token_whatever_the_case_of_the_scheme) {
  for (auto value : {"Bearer a.b-c_d~e+f/g==", "bearer a.b-c_d~e+f/g==", "BEARER   a.b-c_d~e+f/g=="})
    EXPECT_EQ(read({{"authorization", value}}), credentials{bearer{"a.b-c_d~e+f/g=="}}) << value;
}

// RFC 6749, A.12, which allows more than RFC 6750, 2.1
TEST(credentials, may_be_a_token_of_any_characters_that_can_be_seen) {
  for (auto token : {"7|secret", "a:b", "a!b", "=", "a=b", "[a](b){c}<d>#$%&'*;?@\\^`"})
    EXPECT_EQ(read({{"Authorization", "Bearer " + std::string{token}}}), credentials{bearer{token}}) << token;
}

TEST(credentials, are_a_key_in_a_field_of_its_own) {
  EXPECT_EQ(read({{"X-API-Key", " troupe_1 "}}), credentials{bearer{"troupe_1"}});
}

// 2025-11-25, authorization, "Access Token Usage": never in the query
TEST(credentials, are_none_in_the_query_and_in_other_schemes) {
  EXPECT_EQ(read({}), credentials{no_credentials{}});
  EXPECT_EQ(read({{"Authorization", "Basic YTpi"}}), credentials{no_credentials{}});
  EXPECT_EQ(read({{"Authorization", "Bearera"}}), credentials{no_credentials{}});
}

TEST(credentials, are_bad_when_they_cannot_be_read) {
  for (auto value :
       {"Bearer", "Bearer ", "Bearer a b", "Bearer a,b", "Bearer \"a\"", "Bearer a\x7f", "Bearer \xc3\xa9"})
    EXPECT_TRUE(is_bad(read({{"Authorization", value}}))) << value;
  EXPECT_TRUE(is_bad(read({{"X-API-Key", ""}})));
}

// RFC 6750, 2: not in more than one way
TEST(credentials, are_bad_when_they_come_twice) {
  EXPECT_TRUE(is_bad(read({{"Authorization", "Bearer a"}, {"Authorization", "Bearer a"}})));
  EXPECT_TRUE(is_bad(read({{"X-API-Key", "a"}, {"x-api-key", "a"}})));
  EXPECT_TRUE(is_bad(read({{"Authorization", "Bearer a"}, {"X-API-Key", "a"}})));
}

TEST(credentials, of_another_scheme_leave_the_key) {
  EXPECT_EQ(read({{"Authorization", "Basic YTpi"}, {"X-API-Key", "k"}}), credentials{bearer{"k"}});
}

TEST(credentials, are_told_from_names_by_their_form) {
  const auto secret = "troupe_" + std::string(64, 'a');
  EXPECT_TRUE(looks_like_credentials(secret));
  EXPECT_TRUE(looks_like_credentials("eyJhbGciOiJub25lIn0.e30."));
  EXPECT_TRUE(looks_like_credentials("eyJhbGciOiJub25lIn0.not read.at all"));
  for (auto name : {"ada", "troupe_of_ada", "ada@example.com", "eye.example.com", "a.b.c", "eyJhbGciOiJub25lIn0", ""})
    EXPECT_FALSE(looks_like_credentials(name)) << name;
}

} // namespace troupe::tests::credentials_test
