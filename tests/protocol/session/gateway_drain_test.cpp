// Shutdown of a gateway, alone and as a node of a cluster.

#include "protocol/rejection.hpp"
#include "protocol/session/gateway_drain.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::gateway_drain_test {

using namespace protocol;

namespace {

gateway_drain of_a_node() {
  gateway_drain it;
  it.join_cluster();
  return it;
}

} // namespace

TEST(gateway_drain, ends_sessions_where_there_are_no_other_nodes) {
  gateway_drain it;
  EXPECT_FALSE(it.has_begun());
  EXPECT_EQ(it.begin(false), gateway_drain::sessions::end);
  EXPECT_TRUE(it.has_begun());
  EXPECT_FALSE(it.is_hurried());
  EXPECT_EQ(it.begin(true), gateway_drain::sessions::end);
  EXPECT_TRUE(it.is_hurried());
}

TEST(gateway_drain, moves_sessions_to_other_nodes_once_and_ends_them_with_the_grace) {
  auto it = of_a_node();
  EXPECT_EQ(it.begin(false), gateway_drain::sessions::move);
  EXPECT_EQ(it.begin(false), gateway_drain::sessions::stay);
  EXPECT_FALSE(it.is_hurried());
  EXPECT_EQ(it.begin(true), gateway_drain::sessions::end);
  EXPECT_EQ(it.begin(false), gateway_drain::sessions::stay);
  EXPECT_TRUE(it.is_hurried());
}

TEST(gateway_drain, ends_sessions_that_stay_when_the_grace_is_nearly_over) {
  auto it = of_a_node();
  EXPECT_EQ(it.late(), gateway_drain::sessions::stay) << "it has not begun";
  it.begin(false);
  EXPECT_EQ(it.late(), gateway_drain::sessions::end);
  EXPECT_FALSE(it.is_hurried());
}

TEST(gateway_drain, may_be_hurried_from_the_beginning) {
  auto it = of_a_node();
  EXPECT_EQ(it.begin(true), gateway_drain::sessions::end);
  EXPECT_TRUE(it.is_hurried());
}

TEST(gateway_drain, sends_new_sessions_to_other_nodes_but_not_those_that_they_sent) {
  auto it = of_a_node();
  EXPECT_FALSE(it.sends_on(false));
  it.begin(false);
  EXPECT_TRUE(it.sends_on(false));
  EXPECT_FALSE(it.sends_on(true));
}

TEST(gateway_drain, is_closed_to_new_sessions_and_opened_again_while_it_has_not_begun) {
  auto it = of_a_node();
  EXPECT_TRUE(it.takes_new());
  it.close();
  EXPECT_FALSE(it.takes_new());
  EXPECT_TRUE(it.sends_on(false));
  EXPECT_FALSE(it.sends_on(true));
  EXPECT_FALSE(it.has_begun());
  EXPECT_FALSE(it.moves());
  it.open();
  EXPECT_TRUE(it.takes_new());
  EXPECT_FALSE(it.sends_on(false));
  it.close();
  EXPECT_EQ(it.begin(false), gateway_drain::sessions::move) << "what is left goes at once";
  it.open();
  EXPECT_FALSE(it.takes_new()) << "it ends";
}

TEST(gateway_drain, sends_nothing_on_where_there_are_no_other_nodes) {
  gateway_drain it;
  it.begin(false);
  EXPECT_FALSE(it.sends_on(false));
}

TEST(gateway_drain, tells_whose_request_is_refused) {
  auto why = gateway_stops("7");
  EXPECT_EQ(why.status, 503);
  EXPECT_EQ(why.id, "7");
}

} // namespace troupe::tests::gateway_drain_test
