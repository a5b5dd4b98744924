// How much of an answer may be on its way from one node to another.

#include "protocol/cluster/forwarded_exchange.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::event_flow_test {

using namespace protocol;

TEST(unread_events, are_too_many_when_the_client_does_not_read) {
  EXPECT_TRUE(unread_events{}.sent(unread_events::most - 1));
  EXPECT_TRUE(unread_events{}.sent(unread_events::most));
  EXPECT_FALSE(unread_events{}.sent(unread_events::most + 1));
}

TEST(unread_events, make_room_for_more_when_the_client_has_read_them) {
  unread_events it;
  EXPECT_TRUE(it.sent(unread_events::most));
  it.taken(5);
  EXPECT_TRUE(it.sent(5));
  EXPECT_FALSE(it.sent(1));
}

TEST(unread_events, are_none_when_a_node_says_that_it_took_more_than_it_was_sent) {
  unread_events it;
  it.sent(1);
  it.taken(2);
  EXPECT_TRUE(it.sent(unread_events::most));
  EXPECT_FALSE(it.sent(1));
}

TEST(untold_events, are_told_of_when_they_are_many) {
  untold_events it;
  EXPECT_EQ(it.passed_on(untold_events::most - 1), 0u);
  EXPECT_EQ(it.passed_on(1), untold_events::most);
  EXPECT_EQ(it.passed_on(1), 0u) << "it begins anew";
  EXPECT_EQ(it.passed_on(untold_events::most), untold_events::most + 1);
}

} // namespace troupe::tests::event_flow_test
