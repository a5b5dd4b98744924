#include "protocol/text/found_secrets.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::found_secrets_test {

using namespace protocol;

TEST(found_secrets, are_known_by_their_name_or_their_beginning) {
  EXPECT_TRUE(looks_secret("GITHUB_TOKEN", "abcdefgh"));
  EXPECT_TRUE(looks_secret("X-API-Key", "abcdefgh"));
  EXPECT_TRUE(looks_secret("ANY", "ghp_0123456789abcdef"));
  EXPECT_FALSE(looks_secret("GITHUB_TOKEN", "abcdefg"));
  EXPECT_FALSE(looks_secret("ANY", "abcdefgh"));
  EXPECT_FALSE(looks_secret("API_KEY", "<YOUR_API_KEY>"));
  EXPECT_FALSE(looks_secret("API_KEY", "your_api_key"));
  EXPECT_FALSE(looks_secret("API_KEY", "${API_KEY_HERE}"));
  EXPECT_FALSE(looks_secret("TOKEN_LIMIT", "1000000000"));
  EXPECT_FALSE(looks_secret("KEY_FILE", "/home/ann/key.pem"));
}

TEST(found_secrets, are_told_from_paths_and_may_have_blanks) {
  EXPECT_TRUE(looks_secret("AWS_SECRET_ACCESS_KEY", "/bPxRfiCYEXAMPLE+KEY/x"));
  EXPECT_TRUE(looks_secret("PASSWORD", "correct horse"));
  EXPECT_FALSE(looks_secret("KEY_FILE", "/x/key.pem"));
  EXPECT_FALSE(looks_secret("SSH_KEY", "/home/ann/.ssh/id"));
  EXPECT_FALSE(looks_secret("SSH_KEY", "~/.ssh/id_rsa"));
  EXPECT_FALSE(looks_secret("KEYS", "press any key"));
}

} // namespace troupe::tests::found_secrets_test
