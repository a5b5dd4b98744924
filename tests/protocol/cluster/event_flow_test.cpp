// Flow control for answers relayed between nodes.

#include "protocol/cluster/event_flow.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::event_flow_test {

using namespace protocol;

TEST(unacknowledged_events, are_too_many_when_the_client_does_not_read) {
  EXPECT_TRUE(unacknowledged_events{}.sent(unacknowledged_events::most - 1));
  EXPECT_TRUE(unacknowledged_events{}.sent(unacknowledged_events::most));
  EXPECT_FALSE(unacknowledged_events{}.sent(unacknowledged_events::most + 1));
}

TEST(unacknowledged_events, make_room_for_more_when_the_client_has_read_them) {
  unacknowledged_events it;
  EXPECT_TRUE(it.sent(unacknowledged_events::most));
  it.taken(5);
  EXPECT_TRUE(it.sent(5));
  EXPECT_FALSE(it.sent(1));
}

TEST(unacknowledged_events, are_none_when_a_node_says_that_it_took_more_than_it_was_sent) {
  unacknowledged_events it;
  it.sent(1);
  it.taken(2);
  EXPECT_TRUE(it.sent(unacknowledged_events::most));
  EXPECT_FALSE(it.sent(1));
}

TEST(unreported_events, are_told_of_when_they_are_many) {
  unreported_events it;
  EXPECT_EQ(it.passed_on(unreported_events::most - 1), 0u);
  EXPECT_EQ(it.passed_on(1), unreported_events::most);
  EXPECT_EQ(it.passed_on(1), 0u) << "it begins anew";
  EXPECT_EQ(it.passed_on(unreported_events::most), unreported_events::most + 1);
}

} // namespace troupe::tests::event_flow_test
