#include "protocol/supervised/server_calls.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::relayed_call_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

relayed_call of(user_id user, std::string id, time_point deadline = start) {
  return {.user = user, .id = std::move(id), .token = "mine", .deadline = deadline, .cap = start + 10s};
}

std::vector<std::uint64_t> late(relayed_calls& all, time_point now) {
  std::vector<std::uint64_t> result;
  for (auto& [own, one] : all.extract_late(now))
    result.push_back(own);
  return result;
}

} // namespace

TEST(relayed_calls, get_ids_of_ours_that_never_come_again) {
  relayed_calls all;
  EXPECT_EQ(all.add(of(1, "7")), 1u);
  EXPECT_EQ(all.add(of(2, "7")), 2u);
  all.extract_all();
  EXPECT_TRUE(all.empty());
  EXPECT_EQ(all.add(of(1, "7")), 3u);
}

TEST(relayed_calls, are_found_by_user_and_id) {
  relayed_calls all;
  all.add(of(1, "7"));
  all.add(of(2, "7"));
  all.add(of(2, "\"7\""));
  EXPECT_EQ(all.own_id_of(1, "7"), 1u);
  EXPECT_EQ(all.own_id_of(2, "7"), 2u);
  EXPECT_EQ(all.own_id_of(2, "\"7\""), 3u);
  EXPECT_EQ(all.own_id_of(3, "7"), std::nullopt);
  EXPECT_EQ(all.of(2), (std::set<std::uint64_t>{2, 3}));
}

TEST(relayed_calls, are_taken_once) {
  relayed_calls all;
  all.add(of(1, "7"));
  EXPECT_EQ(all.extract(1)->id, "7");
  EXPECT_FALSE(all.extract(1));
  EXPECT_EQ(all.find(1), nullptr);
  EXPECT_EQ(all.own_id_of(1, "7"), std::nullopt);
  EXPECT_EQ(all.deadline(), time_point::max());
}

TEST(relayed_calls, know_who_is_the_only_user) {
  relayed_calls all;
  all.add({.is = relayed_call::kind::ours, .user = 9});
  all.add({.is = relayed_call::kind::initialize, .user = 8});
  EXPECT_EQ(all.only_asker(), std::nullopt);
  all.add(of(1, "7"));
  all.add(of(1, "8"));
  EXPECT_EQ(all.only_asker(), 1u);
  auto other = all.add(of(2, "7"));
  EXPECT_EQ(all.only_asker(), std::nullopt);
  all.change(other, &relayed_call::disown);
  EXPECT_EQ(all.only_asker(), 1u);
  EXPECT_EQ(all.own_id_of(2, "7"), std::nullopt);
  EXPECT_EQ(all.size(), 5u);
}

TEST(relayed_calls, are_late_at_their_deadline_in_its_order) {
  relayed_calls all;
  all.add(of(1, "1", start + 2s));
  all.add(of(1, "2", start + 1s));
  EXPECT_EQ(all.deadline(), start + 1s);
  EXPECT_EQ(late(all, start + 1s - 1ns), (std::vector<std::uint64_t>{}));
  EXPECT_EQ(late(all, start + 2s), (std::vector<std::uint64_t>{2, 1}));
}

TEST(relayed_calls, are_postponed_but_not_beyond_their_cap) {
  relayed_calls all;
  all.add(of(1, "1"));
  EXPECT_EQ(all.progressed("1", start + 9s)->token, "mine");
  EXPECT_EQ(all.deadline(), start + 9s);
  EXPECT_TRUE(all.progressed("1", start + 11s));
  EXPECT_EQ(all.deadline(), start + 10s);
  EXPECT_FALSE(all.progressed("2", start));
  EXPECT_EQ(late(all, start + 10s), (std::vector<std::uint64_t>{1}));
}

TEST(relayed_calls, are_not_postponed_for_who_wants_no_progress) {
  relayed_calls all;
  all.add({.user = 1, .id = "1", .deadline = start, .cap = start + 10s});
  EXPECT_FALSE(all.progressed("1", start + 9s));
  EXPECT_FALSE(all.progressed("\"1\"", start + 9s));
  EXPECT_EQ(all.deadline(), start);
}

TEST(relayed_calls, of_one_user_and_id_do_not_disturb_each_other) {
  relayed_calls all;
  all.add(of(1, "7"));
  all.add(of(1, "7"));
  EXPECT_EQ(all.own_id_of(1, "7"), 2u);
  EXPECT_EQ(all.of(1), (std::set<std::uint64_t>{1, 2}));
  EXPECT_TRUE(all.extract(1));
  EXPECT_EQ(all.own_id_of(1, "7"), 2u);
  EXPECT_TRUE(all.extract(2));
  EXPECT_EQ(all.own_id_of(1, "7"), std::nullopt);
  EXPECT_EQ(all.only_asker(), std::nullopt);
}

TEST(relayed_calls, are_late_at_their_deadline_when_there_are_many) {
  relayed_calls all;
  for (int i = 0; i < 100; ++i)
    all.add(of(1, std::to_string(i), start + i * 100ms));
  for (std::uint64_t own = 1; own <= 10; ++own)
    EXPECT_TRUE(all.extract(own));
  EXPECT_LE(all.deadline(), start + 1s);
  EXPECT_EQ(late(all, start + 1s - 1ns), (std::vector<std::uint64_t>{}));
  EXPECT_EQ(all.deadline(), start + 1s);
  EXPECT_EQ(late(all, start + 1s), (std::vector<std::uint64_t>{11}));
}

} // namespace troupe::tests::relayed_call_test
