#include "protocol/access/credential_lookup.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::known_callers_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

credential_digest digest(unsigned char number) {
  credential_digest result{};
  result.front() = std::byte{number};
  return result;
}

caller named(const std::string& name) { return std::make_shared<const principal>(principal{"as", name}); }

const time_point now{};

} // namespace

TEST(known_callers, are_known_until_their_time_is_over) {
  known_callers all;
  EXPECT_FALSE(all.find(digest(1), now).who);
  all.add(digest(1), named("ann"), now + 10s);
  EXPECT_EQ(all.find(digest(1), now + 10s - 1ns).who->subject, "ann");
  EXPECT_EQ(all.find(digest(1), now).until, now + 10s);
  EXPECT_FALSE(all.find(digest(2), now).who);
  EXPECT_FALSE(all.find(digest(1), now + 10s).who);
  EXPECT_EQ(all.size(), 0u);
}

TEST(known_callers, stay_when_they_are_used_while_others_come) {
  known_callers all{3};
  for (unsigned char i = 0; i < 100; ++i) {
    all.add(digest(i), named("one"), now + 1h);
    EXPECT_TRUE(all.find(digest(0), now).who) << int{i};
    EXPECT_LE(all.size(), 6u);
  }
  EXPECT_FALSE(all.find(digest(50), now).who);
  EXPECT_TRUE(all.find(digest(99), now).who);
}

TEST(known_callers, are_who_they_were_found_to_be_last) {
  known_callers all{1};
  all.add(digest(1), named("ann"), now + 1s);
  all.add(digest(2), named("bob"), now + 1h);
  all.add(digest(1), named("ann again"), now + 1h);
  EXPECT_EQ(all.find(digest(1), now + 1s).who->subject, "ann again");
}

} // namespace troupe::tests::known_callers_test
