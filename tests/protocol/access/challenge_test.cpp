#include "protocol/access/challenge.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::challenge_test {

using namespace protocol;

// RFC 6750, 3; RFC 9728, 5.1
TEST(challenge, tells_what_is_wrong_and_where_to_go) {
  EXPECT_EQ(challenge_text({"invalid_token", "Token expired", {"a", "b"}, "https://x/.well-known/y"}),
            "Bearer error=\"invalid_token\", error_description=\"Token expired\", scope=\"a b\", "
            "resource_metadata=\"https://x/.well-known/y\"");
}

// RFC 6750, 3.1: no error without credentials
TEST(challenge, tells_no_error_to_who_sent_nothing) {
  EXPECT_EQ(challenge_text({}), "Bearer");
  EXPECT_EQ(challenge_text({.metadata_url = "u"}), "Bearer resource_metadata=\"u\"");
}

TEST(challenge, has_no_text_that_ends_it) {
  EXPECT_EQ(challenge_text({.error = "a\"b\\c\r\nd\x7f\xc3"}), "Bearer error=\"a\\\"b\\\\cd\"");
}

TEST(challenge, comes_with_the_status_that_fits) {
  EXPECT_EQ(unauthorized({}).status, 401);
  EXPECT_EQ(unauthorized({}).body, R"({"error":"invalid_token","error_description":"a key or a token is required"})");
  EXPECT_EQ(insufficient_scope({.scopes = {"a", "b"}}).status, 403);
  EXPECT_EQ(insufficient_scope({.scopes = {"a", "b"}}).body,
            R"({"error":"insufficient_scope","error_description":"this needs the scopes a b"})");
  EXPECT_EQ(insufficient_scope({.scopes = {"a"}}).headers.front().second,
            "Bearer error=\"insufficient_scope\", scope=\"a\"");
  EXPECT_EQ(bad_authorization("x").status, 400);
}

} // namespace troupe::tests::challenge_test
