#include "protocol/supervised/server_start.hpp"

#include "tests/support/session_driver.hpp"

namespace troupe::tests::start_queue_test {

namespace {

/// Ten bytes of text instead of JSON, which the queue does not parse.
message of(message_kind kind, std::string method, std::string id = {}) {
  return {.kind = kind, .text = std::string(10, 'x'), .id = std::move(id), .method = std::move(method)};
}

message asks(std::string id) { return of(message_kind::request, "m", std::move(id)); }
message says(std::string method) { return of(message_kind::notification, std::move(method)); }
message begins(std::string id) { return of(message_kind::request, "initialize", std::move(id)); }

/// Whether the queue accepted the message.
bool offered(start_queue& queue, user_id user, message what) {
  auto fits = queue.has_room_for(user, what);
  if (fits)
    queue.add(user, std::move(what));
  return fits;
}

std::vector<std::string> taken(start_queue& queue) {
  std::vector<std::string> result;
  for (auto& [user, what] : queue.extract_all())
    result.push_back(std::to_string(user) + " " + what.id);
  return result;
}

using lines = std::vector<std::string>;

} // namespace

TEST(start_queue, keeps_the_order_in_which_messages_came) {
  start_queue queue{9, 100};
  queue.add(2, asks("1"));
  queue.add(1, asks("2"));
  queue.add(2, asks("3"));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(taken(queue), (lines{"2 1", "1 2", "2 3"}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(start_queue, has_room_for_so_many_messages_of_each_user) {
  start_queue queue{2, 100};
  EXPECT_TRUE(offered(queue, 1, asks("1")));
  EXPECT_TRUE(offered(queue, 1, begins("2")));
  EXPECT_FALSE(offered(queue, 1, asks("3")));
  EXPECT_FALSE(offered(queue, 1, begins("4")));
  EXPECT_TRUE(offered(queue, 2, asks("3")));
  EXPECT_TRUE(queue.withdraw(1, "1"));
  EXPECT_TRUE(offered(queue, 1, asks("5")));
  EXPECT_FALSE(offered(queue, 1, asks("6")));
}

TEST(start_queue, has_room_for_so_many_bytes_of_all) {
  start_queue queue{9, 20};
  EXPECT_TRUE(offered(queue, 1, asks("1")));
  EXPECT_TRUE(offered(queue, 2, asks("2")));
  EXPECT_FALSE(offered(queue, 2, asks("3")));
  EXPECT_FALSE(offered(queue, 3, says("initialize")));
  EXPECT_TRUE(offered(queue, 3, begins("4")));
  EXPECT_FALSE(offered(queue, 3, asks("5")));
}

TEST(start_queue, gives_back_the_bytes_of_what_leaves_it) {
  start_queue queue{9, 20};
  queue.add(1, asks("1"));
  queue.add(2, asks("2"));
  EXPECT_TRUE(queue.withdraw(1, "1"));
  EXPECT_TRUE(offered(queue, 1, asks("3")));
  queue.drop(2);
  EXPECT_TRUE(offered(queue, 1, asks("4")));
  EXPECT_FALSE(offered(queue, 1, asks("5")));
  EXPECT_EQ(taken(queue), (lines{"1 3", "1 4"}));
  EXPECT_TRUE(offered(queue, 1, asks("6")));
  EXPECT_TRUE(offered(queue, 1, asks("7")));
  EXPECT_FALSE(offered(queue, 1, asks("8")));
}

TEST(start_queue, lets_a_user_withdraw_its_own_requests_but_no_initialize) {
  start_queue queue{9, 100};
  queue.add(1, begins("0"));
  queue.add(1, asks("1"));
  queue.add(1, says("m"));
  EXPECT_FALSE(queue.withdraw(1, "0"));
  EXPECT_FALSE(queue.withdraw(2, "1"));
  EXPECT_FALSE(queue.withdraw(1, ""));
  EXPECT_TRUE(queue.withdraw(1, "1"));
  EXPECT_FALSE(queue.withdraw(1, "1"));
  EXPECT_EQ(taken(queue), (lines{"1 0", "1 "}));
}

TEST(start_queue, drops_all_of_a_user_who_leaves) {
  start_queue queue{9, 100};
  queue.add(1, asks("1"));
  queue.add(2, asks("2"));
  queue.add(1, asks("3"));
  queue.drop(1);
  queue.drop(3);
  EXPECT_EQ(taken(queue), (lines{"2 2"}));
}

TEST(start_queue, knows_the_first_initialize) {
  start_queue queue{9, 100};
  queue.add(1, asks("1"));
  queue.add(1, says("initialize"));
  EXPECT_EQ(queue.first_initialize(), nullptr);
  queue.add(2, begins("2"));
  queue.add(3, begins("3"));
  ASSERT_NE(queue.first_initialize(), nullptr);
  EXPECT_EQ(queue.first_initialize()->user, 2u);
  EXPECT_EQ(queue.first_initialize()->what.id, "2");
}

} // namespace troupe::tests::start_queue_test
