#include "protocol/remote/bearer_challenge.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::tests::bearer_challenge_test {

using namespace protocol;

TEST(bearer_challenge, says_where_the_document_is_and_what_is_wanted) {
  EXPECT_EQ(
      read_bearer_challenge(R"(Bearer error="invalid_token", resource_metadata="https://a/x", scope="read write")"),
      (bearer_challenge{"invalid_token", "https://a/x", {"read", "write"}}));
  EXPECT_EQ(read_bearer_challenge("bearer Resource_Metadata=https://a/x"), (bearer_challenge{"", "https://a/x", {}}));
  EXPECT_EQ(read_bearer_challenge("Bearer"), bearer_challenge{});
}

TEST(bearer_challenge, is_one_of_several) {
  EXPECT_EQ(read_bearer_challenge(R"(Basic realm="x, Bearer error=no", Bearer error="yes", Digest error="no")"),
            bearer_challenge{"yes"});
  EXPECT_EQ(read_bearer_challenge(R"(Negotiate a2V5==, Bearer scope="a")"), (bearer_challenge{"", "", {"a"}}));
  EXPECT_EQ(read_bearer_challenge(R"(Basic realm="x")"), std::nullopt);
  EXPECT_EQ(challenge_of({{"www-authenticate", "Basic"}, {"WWW-Authenticate", "Bearer error=x"}}),
            bearer_challenge{"x"});
  EXPECT_EQ(challenge_of({}), bearer_challenge{});
}

TEST(bearer_challenge, is_read_whatever_it_is) {
  EXPECT_EQ(read_bearer_challenge(R"(Bearer error="a \"b\"")"), bearer_challenge{R"(a "b")"});
  for (const auto* text : {"", ",", "=", "\"", "\"\"\"", "Bearer =", "Bearer error", "Bearer error=", "Bearer error=\"",
                           "Bearer error=\"\\", "Bearer ,,=,=\"x\", \\"})
    read_bearer_challenge(text);
}

} // namespace troupe::tests::bearer_challenge_test
