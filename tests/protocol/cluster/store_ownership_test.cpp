// Claiming and releasing sessions in a store.

#include "tests/support/store_writes_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::store_ownership_test {

TEST(store_ownership, has_a_session_claimed_before_all_else_of_it) {
  store_writes_driver t;
  t.it.keep("s", event(1));
  t.it.remember("s", "older");
  t.it.claim("s", "r", {7, true});
  t.it.remember("t", "other");
  EXPECT_EQ(t.sent(), (lines{"s claim r", "t record other"}));
  EXPECT_EQ(t.open.front().claim, (session_claim{7, true}));
  t.end(store_fate::lost);
  t.it.try_again();
  EXPECT_EQ(t.sent(), (lines{"s claim r"}));
  t.it.remember("s", "later");
  t.end(store_fate::done, 2);
  EXPECT_EQ(t.done(), (lines{"s record later", "s event 1"}));
}

TEST(store_ownership, knows_which_sessions_the_store_has) {
  store_writes_driver t;
  auto has = [&t] { return t.it.has_recorded("s"); };
  for (auto fate : {store_fate::failed, store_fate::lost, store_fate::refused, store_fate::done}) {
    t.it.remember("s", "r");
    t.sent();
    EXPECT_FALSE(has());
    t.end(fate);
  }
  EXPECT_TRUE(has());
  t.it.drop_all();
  EXPECT_TRUE(has());
  t.it.store_is_new();
  EXPECT_FALSE(has());
  t.it.claim("s", "r", {});
  t.done();
  EXPECT_TRUE(has());
  t.it.drop("s");
  EXPECT_FALSE(has());
  t.it.take_over("s");
  EXPECT_TRUE(has());
  t.it.forget("s");
  EXPECT_FALSE(has());
  t.done();
  t.it.take_over("s");
  t.it.release("s");
  t.done();
  EXPECT_FALSE(has());
}

/// Otherwise it would return after another node has taken it and a client has ended it there.
TEST(store_ownership, claims_no_session_as_new_that_the_store_has_recorded) {
  store_writes_driver t;
  t.it.remember("s", "r");
  t.done();
  t.it.claim("s", "r", {7, true});
  t.sent();
  EXPECT_EQ(t.open.front().claim, (session_claim{7, false}));
  t.end(store_fate::done);
  t.it.store_is_new();
  t.it.claim("s", "r", {8, true});
  t.sent();
  EXPECT_EQ(t.open.front().claim, (session_claim{8, true}));
}

TEST(store_ownership, remembers_no_session_whose_record_arrived_behind_its_end) {
  using ending = void (*)(store_writes&);
  for (ending end : {+[](store_writes& it) { it.forget("s"); }, +[](store_writes& it) { it.drop("s"); }}) {
    store_writes_driver t;
    t.it.remember("s", "r");
    t.sent();
    end(t.it);
    t.end(store_fate::done);
    EXPECT_FALSE(t.it.has_recorded("s"));
    t.done();
    EXPECT_FALSE(t.it.has_recorded("s"));
    t.it.remember("s", "r");
    t.done();
    EXPECT_TRUE(t.it.has_recorded("s"));
  }
}

TEST(store_ownership, forgets_a_session_as_held_only_until_the_tenure_ends) {
  store_writes_driver t;
  t.it.claim("s", "r", {7, true, false});
  t.it.forget("s", true);
  EXPECT_EQ(t.sent(), lines{"s forget"});
  EXPECT_EQ(t.open.front().claim, (session_claim{0, false, true}));
  t.end(store_fate::lost);
  t.it.drop_all();
  t.it.try_again();
  EXPECT_EQ(t.sent(), lines{"s forget"});
  EXPECT_EQ(t.open.front().claim, session_claim{});
}

TEST(store_ownership, does_not_remember_a_session_that_it_gives_back) {
  store_writes_driver t;
  t.it.take_over("s");
  t.it.give_back("s", 1);
  t.done();
  EXPECT_FALSE(t.it.has_recorded("s"));
}

TEST(store_ownership, claims_no_session_that_is_given_up) {
  store_writes_driver t;
  t.it.claim("s", "r", {});
  t.it.drop("s");
  t.it.claim("t", "r", {});
  EXPECT_EQ(t.sent(), (lines{"t claim r"}));
  t.it.drop_all();
  t.end(store_fate::lost);
  t.it.try_again();
  EXPECT_EQ(t.sent(), lines{});
}

// -- release ---------------------------------------------------------------------------------

TEST(store_ownership, lets_a_session_go_when_all_that_waits_is_written) {
  store_writes_driver t;
  t.it.remember("a", "r");
  t.it.keep("a", event(1));
  t.it.release("a");
  EXPECT_EQ(t.sent(), (lines{"a record r", "a event 1"}));
  t.end(store_fate::done);
  EXPECT_EQ(t.sent(), lines{});
  t.end(store_fate::done);
  EXPECT_EQ(t.sent(), lines{"a release"});
  EXPECT_TRUE(t.it.waits("a"));
  t.end(store_fate::done);
  EXPECT_FALSE(t.it.waits("a"));
}

TEST(store_ownership, lets_a_session_go_at_once_of_which_nothing_waits) {
  store_writes_driver t;
  t.it.release("a");
  EXPECT_EQ(t.done(), lines{"a release"});
}

TEST(store_ownership, lets_no_session_go_before_what_failed_is_written_after_all) {
  for (auto fate : {store_fate::failed, store_fate::lost}) {
    store_writes_driver t;
    t.it.remember("a", "r");
    t.it.release("a");
    t.sent();
    t.end(fate);
    EXPECT_EQ(t.sent(), lines{});
    t.it.try_again();
    EXPECT_EQ(t.done(), (lines{"a record r", "a release"}));
  }
}

TEST(store_ownership, tries_again_to_let_a_session_go) {
  for (auto fate : {store_fate::failed, store_fate::lost}) {
    store_writes_driver t;
    t.it.release("a");
    t.sent();
    t.end(fate);
    t.it.try_again();
    EXPECT_EQ(t.done(), lines{"a release"});
  }
}

TEST(store_ownership, lets_no_session_go_that_is_not_this_nodes_any_more) {
  store_writes_driver t;
  t.it.remember("a", "r");
  t.it.release("a");
  t.it.drop("a");
  EXPECT_EQ(t.done(), lines{});
  t.it.remember("a", "r");
  t.it.release("a");
  t.it.drop_all();
  EXPECT_EQ(t.done(), lines{});
}

TEST(store_ownership, clears_events_that_failed_before_a_session_is_released) {
  store_writes_driver t;
  t.it.keep("a", event(1));
  EXPECT_EQ(t.sent(), lines{"a event 1"});
  t.end(store_fate::failed);
  t.it.release("a");
  EXPECT_EQ(t.done(), (lines{"a clear", "a release"}));
}

} // namespace troupe::tests::store_ownership_test
