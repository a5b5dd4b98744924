#include "protocol/access/credential_lookup.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::recent_credential_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const time_point now{};
const calendar_time today{};

caller named(const std::string& issuer, std::optional<calendar_time> expires = {}) {
  return std::make_shared<const principal>(principal{.issuer = issuer, .subject = "ann", .expires = expires});
}

} // namespace

TEST(recent_credential, is_found_as_it_came_and_not_otherwise) {
  recent_credential one;
  EXPECT_FALSE(one.find("", 0, now, today));
  auto ann = named(key_issuer);
  one.put("the secret", ann, 3, now + 10s);
  EXPECT_EQ(one.find("the secret", 3, now, today), ann);
  for (auto* other : {"", "the secre", "the secreT", "The secret", "the secret ", "a secret!!"})
    EXPECT_FALSE(one.find(other, 3, now, today)) << other;
}

TEST(recent_credential, is_looked_up_again_when_its_time_is_over) {
  recent_credential one;
  one.put("secret", named("https://as.example.com"), 0, now + 10s);
  EXPECT_TRUE(one.find("secret", 0, now + 10s - 1ns, today));
  EXPECT_FALSE(one.find("secret", 0, now + 10s, today));
}

TEST(recent_credential, is_looked_up_again_when_keys_have_changed) {
  recent_credential one;
  one.put("secret", named(key_issuer), 7, time_point::max());
  EXPECT_TRUE(one.find("secret", 7, now, today));
  EXPECT_FALSE(one.find("secret", 8, now, today));
}

TEST(recent_credential, is_looked_up_again_when_its_owner_is_nobody_any_more) {
  recent_credential one;
  one.put("key", named(key_issuer, today + 60s), 0, time_point::max());
  EXPECT_TRUE(one.find("key", 0, now, today + 59s));
  EXPECT_FALSE(one.find("key", 0, now, today + 60s));
  one.put("token", named("https://as.example.com", today + 60s), 0, time_point::max());
  EXPECT_TRUE(one.find("token", 0, now, today + 60s + leeway - 1s));
  EXPECT_FALSE(one.find("token", 0, now, today + 60s + leeway));
}

TEST(recent_credential, is_forgotten_when_it_is_not_good_any_more) {
  recent_credential one;
  one.put("secret", named(key_issuer), 7, time_point::max());
  EXPECT_FALSE(one.find("another", 8, now, today));
  EXPECT_FALSE(one.find("secret", 7, now, today));
  one.put("secret", named(key_issuer), 7, time_point::max());
  one.forget();
  EXPECT_FALSE(one.find("secret", 7, now, today));
  EXPECT_FALSE(one.find("", 7, now, today));
}

TEST(recent_credential, keeps_none_that_is_too_long) {
  recent_credential one;
  for (auto size : {recent_credential::longest - 1, recent_credential::longest}) {
    one.put(std::string(size, 'x'), named(key_issuer), 0, time_point::max());
    EXPECT_TRUE(one.find(std::string(size, 'x'), 0, now, today));
  }
  one.put(std::string(recent_credential::longest + 1, 'x'), named(key_issuer), 0, time_point::max());
  EXPECT_FALSE(one.find(std::string(recent_credential::longest + 1, 'x'), 0, now, today));
}

} // namespace troupe::tests::recent_credential_test
