#include "protocol/access/credential_lookup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace troupe::tests::key_table_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const calendar_time now{1'800'000'000s};

/// A digest that consists of that digit only.
credential_digest all_of(unsigned char digit) {
  credential_digest result;
  result.fill(static_cast<std::byte>(digit << 4U | digit));
  return result;
}

const key_table keys{{{"ann", std::string(64, 'a'), {"read", "write"}},
                      {"ci", std::string(64, '0'), {}, now},
                      {"bob", std::string(64, '9'), {}, now + 1s}}};

std::string why_not(const credential_digest& digest) {
  auto found = keys.find(digest, now);
  return std::holds_alternative<std::string>(found) ? std::get<std::string>(found) : "";
}

} // namespace

TEST(key_table, tells_who_has_a_key) {
  auto found = std::get<caller>(keys.find(all_of(0xa), now));
  EXPECT_EQ(*found, (principal{.issuer = key_issuer, .subject = "ann", .scopes = {"read", "write"}}));
  EXPECT_EQ(std::get<caller>(keys.find(all_of(0xa), now)), found);
}

TEST(key_table, finds_a_key_by_its_name) {
  EXPECT_EQ(std::get<caller>(*keys.find_named("ann", now))->scopes, (std::vector<std::string>{"read", "write"}));
  EXPECT_EQ(std::get<std::string>(*keys.find_named("ci", now)), "the key has expired");
  EXPECT_FALSE(keys.find_named("an", now));
}

TEST(key_table, knows_no_key_but_by_its_whole_digest) {
  auto nearly = all_of(0xa);
  nearly.back() = std::byte{0xab};
  EXPECT_EQ(why_not(nearly), "the key is not known");
  EXPECT_EQ(why_not(all_of(1)), "the key is not known");
  EXPECT_TRUE(std::holds_alternative<std::string>(key_table{}.find(all_of(0xa), now)));
}

TEST(key_table, tells_whose_keys_are_none_any_more) {
  const key_table fewer{{{"ann", std::string(64, 'b'), {}}, {"bob", std::string(64, '9'), {"other"}}}};
  auto stale = fewer.stale_since(keys);
  std::ranges::sort(stale);
  EXPECT_EQ(stale, (std::vector<std::string>{"3:key2:ci0:", "3:key3:ann0:", "3:key3:bob0:"}));
  const key_table renamed{{{"eve", std::string(64, 'a'), {"read", "write"}}}};
  EXPECT_EQ(renamed.stale_since(key_table{{{"ann", std::string(64, 'a'), {"read", "write"}}}}),
            std::vector<std::string>{"3:key3:ann0:"});
  EXPECT_TRUE(keys.stale_since(keys).empty());
}

TEST(key_table, has_keys_that_end) {
  EXPECT_EQ(why_not(all_of(0)), "the key has expired");
  EXPECT_EQ(why_not(all_of(9)), "");
}

} // namespace troupe::tests::key_table_test
