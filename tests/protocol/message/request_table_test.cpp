#include "protocol/message/request_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace troupe::tests::request_table_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

struct asked {
  std::optional<std::uint64_t> by;
  std::string id;
  time_point deadline = start;
  std::optional<std::uint64_t> requester() const { return by; }
};

using table = request_table<asked>;
using ids = std::vector<std::uint64_t>;
using set = std::set<std::uint64_t>;

/// A request that wants progress.
struct followed {
  std::uint64_t by = 0;
  std::string id = {};
  std::string token = {};
  time_point deadline = start;
  time_point cap = start + 10s;
  std::optional<std::uint64_t> requester() const { return by; }
};

const std::string asks = R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"_meta":{"progressToken":"t"}}})";

template <class Table>
ids late(Table& all, time_point now) {
  ids result;
  for (auto& [own, one] : all.extract_late(now))
    result.push_back(own);
  return result;
}

} // namespace

TEST(request_table, gives_ids_that_never_come_again) {
  table all;
  EXPECT_EQ(all.add({1, "7"}), 1u);
  EXPECT_EQ(all.add({1, "8"}), 2u);
  all.extract_all();
  EXPECT_TRUE(all.empty());
  EXPECT_EQ(all.add({1, "7"}), 3u);
  all.count_from(10);
  EXPECT_EQ(all.add({1, "9"}), 11u);
  EXPECT_EQ(all.size(), 2u);
}

TEST(request_table, finds_requests_by_the_ids_of_both_sides) {
  table all;
  all.add({1, "7"});
  all.add({2, "7"});
  all.add({2, "\"7\""});
  all.add({std::nullopt, "7"});
  EXPECT_EQ(all.find(2)->by, 2u);
  EXPECT_EQ(all.find(5), nullptr);
  EXPECT_EQ(all.own_id_of(1, "7"), 1u);
  EXPECT_EQ(all.own_id_of(2, "7"), 2u);
  EXPECT_EQ(all.own_id_of(2, "\"7\""), 3u);
  EXPECT_EQ(all.own_id_of(0, "7"), std::nullopt);
  EXPECT_EQ(all.own_id_of(3, "7"), std::nullopt);
}

TEST(request_table, ends_a_request_once) {
  table all;
  all.add({1, "7"});
  EXPECT_EQ(all.extract(1)->id, "7");
  EXPECT_FALSE(all.extract(1));
  EXPECT_EQ(all.own_id_of(1, "7"), std::nullopt);
  EXPECT_EQ(all.deadline(), time_point::max());
}

TEST(request_table, finds_the_latest_of_several_with_one_id) {
  table all;
  all.add({1, "7"});
  all.add({1, "7"});
  EXPECT_EQ(all.own_id_of(1, "7"), 2u);
  all.extract(2);
  EXPECT_EQ(all.own_id_of(1, "7"), 1u);
}

TEST(request_table, finds_all_of_several_with_one_id) {
  table all;
  for (auto by : {1u, 2u, 1u})
    all.add({by, "7"});
  all.add({1, "70"});
  EXPECT_EQ(all.own_ids_of(1, "7"), (ids{1, 3}));
  EXPECT_EQ(all.own_ids_of(2, "70"), ids{});
}

TEST(request_table, leaves_ids_to_requests_that_are_elsewhere) {
  table all;
  all.add({1, "7"});
  EXPECT_EQ(all.new_id(), 2u);
  EXPECT_EQ(all.add({1, "8"}), 3u);
  EXPECT_EQ(all.size(), 2u);
}

TEST(request_table, tells_whose_requests_are_under_way) {
  table all;
  EXPECT_EQ(all.only_asker(), std::nullopt);
  all.add({std::nullopt, "1"});
  EXPECT_EQ(all.only_asker(), std::nullopt);
  all.add({2, "b"});
  all.add({2, "a"});
  EXPECT_EQ(all.only_asker(), 2u);
  EXPECT_EQ(all.of(2), (set{2, 3}));
  EXPECT_EQ(all.of(1), set{});
  all.add({3, "a"});
  EXPECT_EQ(all.only_asker(), std::nullopt);
  EXPECT_EQ(all.ids_where([](auto& one) { return one.id == "a"; }), (ids{3, 4}));
}

TEST(request_table, finds_a_request_by_what_it_was_changed_to) {
  table all;
  all.add({1, "7"});
  all.add({2, "8"});
  all.change(2, [](asked& one) { one = {3, "9", one.deadline}; });
  all.change(1, [](asked& one) { one.by.reset(); });
  all.change(3, [](asked& one) { one = {}; });
  EXPECT_EQ(all.own_id_of(1, "7"), std::nullopt);
  EXPECT_EQ(all.own_id_of(2, "8"), std::nullopt);
  EXPECT_EQ(all.own_id_of(3, "9"), 2u);
  EXPECT_EQ(all.only_asker(), 3u);
}

TEST(request_table, ends_what_is_late_the_earliest_first) {
  table all;
  all.add({1, "1", start + 2s});
  all.add({1, "2", start + 1s});
  all.add({1, "3", start + 2s});
  EXPECT_EQ(all.deadline(), start + 1s);
  EXPECT_EQ(late(all, start + 1s - 1ns), ids{});
  EXPECT_EQ(late(all, start + 1s), ids{2});
  EXPECT_EQ(late(all, start + 2s), (ids{1, 3}));
  EXPECT_TRUE(all.empty());
}

TEST(request_table, knows_a_deadline_that_was_put_off) {
  table all;
  all.add({1, "1", start});
  all.add({1, "2", start + 1s});
  all.find(1)->deadline = start + 2s;
  EXPECT_EQ(all.deadline(), start + 1s);
  EXPECT_EQ(late(all, start + 2s), (ids{2, 1}));
}

TEST(request_table, knows_a_deadline_that_was_brought_forward) {
  request_table<asked> all;
  all.add({1, "7", start + 1s});
  all.add({1, "8", start + 9s});
  all.set_deadline(2, start);
  EXPECT_EQ(all.deadline(), start);
  all.set_deadline(2, start + 2s);
  EXPECT_EQ(all.deadline(), start + 1s);
  all.set_deadline(3, start);
  EXPECT_EQ(all.size(), 2u);
}

TEST(request_table, keeps_its_requests_when_it_is_moved) {
  table from;
  from.add({1, "1", start + 1s});
  from.add({2, "2", start});
  auto all = std::move(from);
  EXPECT_EQ(all.own_id_of(1, "1"), 1u);
  EXPECT_EQ(all.add({1, "3"}), 3u);
  EXPECT_EQ(late(all, start + 1s), (ids{2, 3, 1}));
}

TEST(request_table, knows_what_is_late_when_there_is_much) {
  table all;
  for (int i = 0; i < 100; ++i)
    all.add({1, std::to_string(i), start + i * 1s});
  for (std::uint64_t own = 1; own <= 10; ++own)
    EXPECT_TRUE(all.extract(own));
  EXPECT_LE(all.deadline(), start + 10s);
  EXPECT_EQ(late(all, start + 10s - 1ns), ids{});
  EXPECT_EQ(all.deadline(), start + 10s);
  EXPECT_EQ(late(all, start + 10s), ids{11});
}

TEST(request_table, counts_the_requests_that_have_an_asker) {
  table all;
  all.add({std::nullopt, "1"});
  EXPECT_EQ(all.requested(), 0U);
  all.add({1, "1"});
  all.add({2, "1"});
  EXPECT_EQ(all.requested(), 2U);
  all.extract(2);
  all.extract(1);
  EXPECT_EQ(all.requested(), 1U);
}

// -- messages ------------------------------------------------------------------

TEST(request_table, puts_ids_of_ours_into_a_request_and_the_askers_into_its_answer) {
  request_table<followed> all;
  all.count_from(6);
  auto request = gateway_message(asks);
  EXPECT_EQ(all.add({.by = 1}, request), 7u);
  EXPECT_EQ(request.text, R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":7}}})");
  EXPECT_EQ(all.find("7")->token, "\"t\"");
  EXPECT_EQ(all.own_id_of(1, "\"a\""), 7u);
  auto answer = gateway_message(empty_result("\"7\""));
  EXPECT_EQ(all.answered(answer)->by, 1u);
  EXPECT_EQ(answer.text, empty_result("\"a\""));
  EXPECT_FALSE(all.answered(answer));
}

TEST(request_table, leaves_an_answer_to_no_request_alone) {
  request_table<followed> all;
  auto request = gateway_message(asks);
  all.add({}, request);
  for (auto id : {"2", "\"a\"", "\"\"", "-1"}) {
    auto answer = gateway_message(empty_result(id));
    EXPECT_FALSE(all.answered(answer)) << id;
    EXPECT_EQ(answer.text, empty_result(id));
    EXPECT_FALSE(all.extract(id));
    EXPECT_FALSE(all.find(id));
  }
  EXPECT_EQ(all.size(), 1u);
}

TEST(request_table, ends_the_latest_request_that_its_asker_cancels) {
  request_table<followed> all;
  for (auto by : {1u, 1u, 2u})
    all.add({.by = by, .id = "5"});
  auto cancellation = cancellation_of("5", "why");
  EXPECT_FALSE(all.cancelled(3, cancellation));
  EXPECT_EQ(cancellation.reference, "5");
  EXPECT_TRUE(all.cancelled(1, cancellation));
  EXPECT_EQ(cancellation.text, cancellation_of("2", "why").text);
  EXPECT_EQ(all.of(1), set{1});
}

TEST(request_table, puts_the_askers_token_into_progress_and_puts_the_deadline_off_up_to_the_cap) {
  request_table<followed> all;
  all.add({.token = "\"t\""});
  auto progress = progress_of("1", 3);
  EXPECT_EQ(all.progressed(progress)->deadline, start);
  EXPECT_EQ(progress.text, progress_of("\"t\"", 3).text);
  EXPECT_FALSE(all.progressed(progress));
  for (auto [until, deadline] : {std::pair{start + 9s, start + 9s}, {start + 11s, start + 10s}}) {
    progress = progress_of("1", 4);
    EXPECT_EQ(all.progressed(progress, until)->deadline, deadline);
    EXPECT_EQ(progress.reference, "\"t\"");
  }
  EXPECT_EQ(late(all, start + 10s), ids{1});
}

TEST(request_table, drops_progress_that_its_asker_does_not_want) {
  request_table<followed> all;
  all.add({});
  auto progress = progress_of("1", 3);
  EXPECT_FALSE(all.progressed(progress));
  EXPECT_FALSE(all.progressed(progress, start + 1s));
  EXPECT_EQ(progress.reference, "1");
  EXPECT_EQ(all.deadline(), start);
}

} // namespace troupe::tests::request_table_test
