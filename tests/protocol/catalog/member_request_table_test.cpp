#include "protocol/catalog/request_sender.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace troupe::tests::member_request_table_test {

using namespace protocol;
using namespace std::chrono_literals;
using kind = member_request::kind;
using ids = std::vector<std::uint64_t>;

namespace {

member_request page(std::uint64_t server, std::string client_id) {
  return {.server = server, .is = kind::page, .id = std::move(client_id)};
}

} // namespace

TEST(member_request_table, gives_ids_that_are_never_used_again) {
  member_request_table table;
  EXPECT_EQ(table.add(page(1, "7")), 1U);
  EXPECT_EQ(table.new_id(), 2U);
  EXPECT_EQ(table.extract(1)->server, 1U);
  EXPECT_EQ(table.add(page(1, "7")), 3U);
}

TEST(member_request_table, gives_a_request_once) {
  member_request_table table;
  table.add({.server = 4, .is = kind::call, .id = "7", .token = "\"t\""});
  EXPECT_EQ(table.find(1)->token, "\"t\"");
  EXPECT_EQ(table.find(2), nullptr);
  auto taken = table.extract(1);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->id, "7");
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_FALSE(table.extract(1));
  EXPECT_EQ(table.size(), 0U);
}

TEST(member_request_table, counts_a_request_of_the_client_once_however_many_serve_it) {
  member_request_table table;
  for (auto client_id : {"7", "\"7\"", "7", ""})
    table.add(page(1, client_id));
  EXPECT_EQ(table.size(), 4U);
  EXPECT_EQ(table.served(), 2U);
  EXPECT_EQ(table.serving("7"), (ids{1, 3}));
  EXPECT_EQ(table.serving("\"7\""), (ids{2}));
  EXPECT_EQ(table.serving("70"), ids{});
  table.extract(1);
  EXPECT_TRUE(table.serves("7"));
  EXPECT_EQ(table.served(), 2U);
  table.extract(3);
  EXPECT_FALSE(table.serves("7"));
  EXPECT_EQ(table.served(), 1U);
}

TEST(member_request_table, has_nothing_that_serves_no_request_of_the_client) {
  member_request_table table;
  table.add({.server = 1, .is = kind::greeting});
  EXPECT_FALSE(table.serves(""));
  EXPECT_EQ(table.serving(""), ids{});
  EXPECT_EQ(table.served(), 0U);
  table.extract(1);
  EXPECT_EQ(table.served(), 0U);
}

TEST(member_request_table, keeps_a_late_page_for_itself) {
  member_request_table table;
  table.add(page(1, "7"));
  table.make_late(1, time_point{1h});
  EXPECT_FALSE(table.serves("7"));
  EXPECT_EQ(table.served(), 0U);
  table.add(page(2, "7"));
  EXPECT_EQ(table.serving("7"), (ids{2}));
  EXPECT_EQ(table.extract(1)->is, kind::late_page);
  EXPECT_EQ(table.served(), 1U);
}

TEST(member_request_table, knows_the_late_pages_for_which_nobody_waits_any_more) {
  member_request_table table;
  auto waits = page(1, "7");
  waits.deadline = time_point{1h};
  for (auto i = 0; i < 2; ++i)
    table.add(waits);
  table.make_late(1, time_point{2h});
  EXPECT_EQ(table.late(time_point{1h}), (std::set<std::string>{"7"}));
  EXPECT_EQ(table.overdue(time_point{2h} - 1ns), ids{});
  EXPECT_EQ(table.overdue(time_point{2h}), ids{1});
}

TEST(member_request_table, finds_requests_in_the_order_in_which_they_were_made) {
  member_request_table table;
  for (auto server : {2U, 1U, 2U})
    table.add(page(server, std::to_string(9 - server)));
  EXPECT_EQ(table.ids_where([](auto& one) { return one.server == 2; }), (ids{1, 3}));
  EXPECT_EQ(table.ids_where([](auto& one) { return one.server == 3; }), ids{});
}

TEST(member_request_table, knows_which_lists_are_late) {
  member_request_table table;
  EXPECT_EQ(table.deadline(), time_point::max());
  for (auto server : {1U, 2U}) {
    auto one = page(server, "7");
    one.deadline = time_point{5s};
    table.add(std::move(one));
  }
  EXPECT_EQ(table.deadline(), time_point{5s});
  EXPECT_EQ(table.late(time_point{5s} - 1ns), std::set<std::string>{});
  EXPECT_EQ(table.late(time_point{5s}), std::set<std::string>{"7"});
  table.make_late(1, time_point::max());
  EXPECT_EQ(table.late(time_point{5s}), std::set<std::string>{"7"});
  table.make_late(2, time_point::max());
  EXPECT_EQ(table.late(time_point{5s}), std::set<std::string>{});
  EXPECT_EQ(table.deadline(), time_point::max());
}

} // namespace troupe::tests::member_request_table_test
