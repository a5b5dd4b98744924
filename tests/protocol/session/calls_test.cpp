#include "protocol/session/session_requests.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::calls_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

call of(std::string id, time_point deadline = start) {
  return {.id = std::move(id), .token = {}, .exchange = 0, .deadline = deadline, .cap = time_point::max()};
}

using ended = std::vector<std::pair<std::uint64_t, std::string>>;

ended late(calls& all, time_point now) {
  ended result;
  for (auto& [own, one] : all.take_late(now))
    result.emplace_back(own, one.id);
  return result;
}

} // namespace

TEST(calls, get_ids_of_ours_that_count_up_and_never_come_again) {
  calls all;
  EXPECT_EQ(all.add(of("1")), 1u);
  EXPECT_EQ(all.add(of("2")), 2u);
  EXPECT_TRUE(all.take(2));
  EXPECT_EQ(all.add(of("2")), 3u);
  EXPECT_EQ(all.size(), 2u);
}

TEST(calls, are_found_by_the_ids_of_both_sides) {
  calls all;
  auto own = all.add({.id = "\"a\"", .token = "7", .exchange = 5, .deadline = start, .cap = start + 1s});
  EXPECT_EQ(all.own_id_of("\"a\""), own);
  ASSERT_TRUE(all.find(own));
  EXPECT_EQ(all.find(own)->token, "7");
  EXPECT_EQ(all.find(own)->exchange, 5u);
  EXPECT_EQ(all.find(own + 1), nullptr);
  EXPECT_EQ(all.own_id_of("\"b\""), std::nullopt);
}

// 2025-11-25, base protocol, "Requests"
TEST(calls, tell_an_integer_from_a_string) {
  calls all;
  auto integer = all.add(of("1"));
  auto text = all.add(of("\"1\""));
  EXPECT_EQ(all.own_id_of("1"), integer);
  EXPECT_EQ(all.own_id_of("\"1\""), text);
}

TEST(calls, are_taken_once) {
  calls all;
  auto own = all.add(of("1"));
  EXPECT_EQ(all.take(own)->id, "1");
  EXPECT_FALSE(all.take(own));
  EXPECT_EQ(all.own_id_of("1"), std::nullopt);
  EXPECT_TRUE(all.empty());
  EXPECT_EQ(all.size(), 0u);
}

TEST(calls, of_the_same_asker_id_do_not_disturb_each_other) {
  calls all;
  auto older = all.add(of("1"));
  auto newer = all.add(of("1"));
  EXPECT_EQ(all.own_id_of("1"), newer);
  EXPECT_TRUE(all.take(older));
  EXPECT_EQ(all.own_id_of("1"), newer);
  EXPECT_TRUE(all.take(newer));
  EXPECT_EQ(all.own_id_of("1"), std::nullopt);
}

TEST(calls, are_late_at_their_deadline_and_not_before) {
  calls all;
  all.add(of("1", start + 2s));
  all.add(of("2", start + 1s));
  all.add(of("3", start + 2s));
  EXPECT_EQ(late(all, start + 1s - 1ns), ended{});
  EXPECT_EQ(late(all, start + 1s), (ended{{2, "2"}}));
  EXPECT_EQ(late(all, start + 1s), ended{});
  EXPECT_EQ(late(all, start + 2s), (ended{{1, "1"}, {3, "3"}}));
  EXPECT_TRUE(all.empty());
}

TEST(calls, know_their_first_deadline) {
  calls all;
  EXPECT_EQ(all.deadline(), time_point::max());
  all.add(of("1", start + 2s));
  auto other = of("2", start + 1s);
  other.token = "t";
  all.add(other);
  EXPECT_EQ(all.deadline(), start + 1s);
  EXPECT_TRUE(all.progressed("2", start + 3s));
  EXPECT_EQ(all.deadline(), start + 2s);
}

TEST(calls, of_exchanges_are_counted_while_they_are_under_way) {
  calls all;
  auto ours = all.add(of("1"));
  auto theirs = all.add({.id = "2", .token = {}, .exchange = 7, .deadline = start + 1s, .cap = start + 1s});
  EXPECT_EQ(all.of_exchanges(), 1u);
  all.go_with(ours, 8);
  all.go_with(theirs, 9);
  EXPECT_EQ(all.of_exchanges(), 2u);
  EXPECT_EQ(all.find(ours)->exchange, 8u);
  EXPECT_TRUE(all.take(ours));
  EXPECT_EQ(all.of_exchanges(), 1u);
  EXPECT_EQ(late(all, start + 1s), (ended{{2, "2"}}));
  EXPECT_EQ(all.of_exchanges(), 0u);
}

TEST(calls, are_late_at_their_deadline_when_there_are_many) {
  calls all;
  for (int i = 0; i < 100; ++i)
    all.add(of(std::to_string(i), start + i * 1s));
  for (std::uint64_t own = 1; own <= 10; ++own)
    EXPECT_TRUE(all.take(own));
  EXPECT_LE(all.deadline(), start + 10s);
  EXPECT_EQ(late(all, start + 10s - 1ns), ended{});
  EXPECT_EQ(all.deadline(), start + 10s);
  EXPECT_EQ(late(all, start + 10s), (ended{{11, "10"}}));
}

} // namespace troupe::tests::calls_test
