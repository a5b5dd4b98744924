#include "protocol/text/url.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::redis_address_test {

using namespace protocol;

namespace {

/// `host port password database`, or the error.
std::string seen(std::string_view text) {
  std::string why_not;
  auto found = parse_redis_address(text, why_not);
  if (!found)
    return why_not;
  return found->host + " " + std::to_string(found->port) + " '" + found->password + "' " +
         std::to_string(found->database);
}

} // namespace

TEST(redis_address, is_taken_apart) {
  EXPECT_EQ(seen("redis://h"), "h 6379 '' 0");
  EXPECT_EQ(seen("redis://Example.com:1/"), "example.com 1 '' 0");
  EXPECT_EQ(seen("redis://:secret@127.0.0.1:6380/15"), "127.0.0.1 6380 'secret' 15");
  EXPECT_EQ(seen("redis://:secret@[::1]"), "::1 6379 'secret' 0");
}

TEST(redis_address, may_have_a_user_and_speak_tls) {
  std::string why_not;
  const auto found = parse_redis_address("rediss://al%3Aice:s3cret@h", why_not);
  ASSERT_TRUE(found) << why_not;
  EXPECT_EQ(found->user, "al:ice");
  EXPECT_EQ(found->password, "s3cret");
  EXPECT_TRUE(found->is_secure);
  EXPECT_EQ(found->port, 6379);
  EXPECT_FALSE(parse_redis_address("redis://h", why_not)->is_secure);
}

TEST(redis_address, may_have_any_password) {
  EXPECT_EQ(seen("redis://:a%2Fb%40%3a%25@h"), "h 6379 'a/b@:%' 0");
  EXPECT_EQ(seen("redis://:p%40w:x@h"), "h 6379 'p@w:x' 0");
}

TEST(redis_address, is_refused_without_repeating_its_password) {
  EXPECT_EQ(seen("http://h"), "the URL begins with neither redis:// nor rediss://");
  EXPECT_EQ(seen(""), "the URL begins with neither redis:// nor rediss://");
  EXPECT_EQ(seen("h:6379"), "the URL begins with neither redis:// nor rediss://");
  EXPECT_EQ(seen("redis://user:@h"), "the URL has an empty password");
  EXPECT_EQ(seen("redis://secret@h"), "the URL has a user without a password");
  EXPECT_EQ(seen("redis://@h"), "the URL has a user without a password");
  EXPECT_EQ(seen("redis://:@h"), "the URL has an empty password");
  EXPECT_EQ(seen("redis://:p w@h"), "the URL has a character that must be escaped");
  for (auto text : {"redis://:secret%@h", "redis://:a%zz@h", "redis://:a@b:c@h", "redis://:a^b@h"})
    EXPECT_EQ(seen(text), "the URL has a character in its user or password that must be escaped") << text;
  for (auto text : {"redis://", "redis://:secret@", "redis:///0", "redis://:sec/ret@h", "redis://[:::]"})
    EXPECT_EQ(seen(text), "the URL has no good host") << text;
  for (auto text : {"redis://h:0", "redis://h:65536", "redis://h:x", "redis://h:"})
    EXPECT_EQ(seen(text), "the URL has no good port") << text;
  for (auto text : {"redis://h/x", "redis://h/-1", "redis://h/0/", "redis://h?0", "redis://h/1#x",
                    "redis://h/99999999999", "redis://h/1/2"})
    EXPECT_EQ(seen(text), "the URL has no good database") << text;
}

} // namespace troupe::tests::redis_address_test
