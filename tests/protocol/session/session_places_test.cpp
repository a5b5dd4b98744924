#include "protocol/session/session_admission.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::session_places_test {

using namespace protocol;
using address = std::optional<std::string>;

namespace {

session_places places(std::size_t most, std::size_t most_each, const std::string& taken_by) {
  session_places result{most, most_each};
  for (char one : taken_by)
    result.acquire(std::string(one == '-' ? 0 : 1, one));
  return result;
}

} // namespace

TEST(session_places, are_free_until_all_are_taken) {
  EXPECT_EQ(places(3, 0, "aa").caller_to_evict("a"), address{});
  EXPECT_EQ(places(3, 0, "aaa").caller_to_evict("a"), address{"a"});
  EXPECT_EQ(places(3, 0, "aaaa").caller_to_evict("a"), address{"a"});
  EXPECT_FALSE(places(3, 0, "aa").is_full());
  EXPECT_TRUE(places(3, 0, "aaa").is_full());
}

TEST(session_places, are_given_up_by_whoever_has_most) {
  EXPECT_EQ(places(5, 0, "abbbc").caller_to_evict("a"), address{"b"});
  EXPECT_EQ(places(5, 0, "abbbc").caller_to_evict("new"), address{"b"});
  EXPECT_EQ(places(5, 0, "a---c").caller_to_evict("new"), address{""});
}

TEST(session_places, of_an_address_are_given_up_by_itself) {
  EXPECT_EQ(places(9, 2, "abbb").caller_to_evict("a"), address{});
  EXPECT_EQ(places(9, 2, "aabbb").caller_to_evict("a"), address{"a"});
  EXPECT_EQ(places(5, 2, "aabbb").caller_to_evict("a"), address{"a"});
  EXPECT_TRUE(places(9, 2, "aa").is_full_for("a"));
  EXPECT_FALSE(places(9, 2, "a").is_full_for("a"));
}

TEST(session_places, are_not_limited_for_the_empty_address) {
  EXPECT_EQ(places(9, 2, "---").caller_to_evict(""), address{});
  EXPECT_FALSE(places(9, 2, "---").is_full_for(""));
}

TEST(session_places, are_taken_again) {
  auto all = places(2, 1, "ab");
  all.give_back("a");
  EXPECT_EQ(all.taken(), 1u);
  EXPECT_EQ(all.caller_to_evict("a"), address{});
  all.give_back("a");
  EXPECT_EQ(all.taken(), 1u) << "of one that has none";
  all.acquire("c");
  EXPECT_TRUE(all.is_full());
}

TEST(session_places, are_taken_by_processes_that_are_being_stopped) {
  auto all = places(3, 0, "a");
  all.set_stopping(1);
  EXPECT_EQ(all.caller_to_evict("b"), address{});
  all.set_stopping(2);
  EXPECT_TRUE(all.is_full());
  EXPECT_TRUE(all.must_wait()) << "sessions have no share in it";
  all.set_stopping(0);
  EXPECT_EQ(all.caller_to_evict("b"), address{});
}

TEST(session_places, are_given_up_no_faster_than_processes_stop) {
  auto all = places(20, 0, std::string(20, 'a'));
  for (std::size_t stopping : {0, 1, 2, 3}) {
    all.set_stopping(stopping);
    EXPECT_EQ(all.caller_to_evict("b"), address{"a"});
    EXPECT_EQ(all.must_wait(), stopping > 2) << stopping;
  }
}

// Clients that fail fast must not end sessions that others will resume.
TEST(session_places, are_given_up_for_a_shortage_one_for_each_start_that_fails) {
  using namespace std::chrono_literals;
  const time_point begun{100s};
  auto all = places(1000, 0, "aab");
  EXPECT_EQ(all.held_by("a"), 2u);
  EXPECT_EQ(all.held_by("c"), 0u);
  for (auto second : {begun, begun + 1s})
    for (std::size_t start = 0; start < session_places::most_ended + 2; ++start)
      EXPECT_EQ(all.ends_one_for_shortage(second + 999ms * start / 12), start < session_places::most_ended) << start;
}

TEST(session_places, may_be_none) { EXPECT_EQ(places(0, 0, "").caller_to_evict("a"), address{"a"}); }

} // namespace troupe::tests::session_places_test
