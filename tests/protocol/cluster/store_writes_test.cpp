// The queue of writes to a store, and their order.

#include "tests/support/store_writes_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::store_writes_test {

TEST(store_writes, go_in_order_and_the_record_before_the_events) {
  store_writes_driver t;
  t.it.keep("s", event(1));
  t.it.remember("s", "r");
  t.it.keep("s", event(2));
  EXPECT_EQ(t.done(), (lines{"s record r", "s event 1", "s event 2"}));
  EXPECT_FALSE(t.it.waits("s"));
}

TEST(store_writes, let_sessions_take_turns) {
  store_writes_driver t{one_at_a_time};
  for (std::uint64_t i = 1; i <= 3; ++i)
    t.it.keep("noisy", event(i));
  t.it.remember("s", "r");
  EXPECT_EQ(t.done(), (lines{"noisy event 1", "s record r", "noisy event 2", "noisy event 3"}));
}

TEST(store_writes, go_so_many_at_a_time_and_so_many_bytes) {
  store_writes_driver t{{.sent = 3, .sent_bytes = 4}};
  for (std::uint64_t i = 1; i <= 4; ++i)
    t.it.keep("s", event(i));
  EXPECT_EQ(t.sent().size(), 3u);
  t.end(store_fate::done);
  EXPECT_EQ(t.sent(), lines{"s event 4"});
  t.end(store_fate::done, 3);
  t.it.keep("s", event(5, "xxx"));
  t.it.keep("s", event(6, "xxx"));
  t.it.keep("s", event(7));
  EXPECT_EQ(t.sent(), (lines{"s event 5", "s event 6"}));
  t.end(store_fate::done);
  EXPECT_EQ(t.sent(), lines{"s event 7"});
}

// -- records ---------------------------------------------------------------------------------

TEST(store_writes, have_the_last_record_of_each_session_whatever_waits_besides) {
  store_writes_driver t{{.events = 1}};
  t.it.keep("noisy", event(1));
  EXPECT_FALSE(t.it.keep("noisy", event(2)));
  t.it.remember("s", "1");
  t.it.remember("t", "1");
  t.it.remember("s", "2");
  auto all = t.done();
  EXPECT_EQ(std::count(all.begin(), all.end(), "s record 2"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "s record 1"), 0);
  EXPECT_EQ(std::count(all.begin(), all.end(), "t record 1"), 1);
}

TEST(store_writes, have_one_record_of_a_session_on_its_way_at_a_time) {
  store_writes_driver t;
  t.it.remember("s", "1");
  EXPECT_EQ(t.sent(), lines{"s record 1"});
  t.it.remember("s", "2");
  t.it.remember("s", "3");
  EXPECT_EQ(t.sent(), lines{});
  t.end(store_fate::done);
  EXPECT_EQ(t.done(), lines{"s record 3"});
}

TEST(store_writes, have_a_record_again_that_was_not_written_unless_there_is_a_later_one) {
  for (auto fate : {store_fate::failed, store_fate::lost}) {
    store_writes_driver t;
    t.it.remember("s", "1");
    t.it.remember("t", "1");
    t.sent();
    t.it.remember("t", "2");
    t.end(fate, 2);
    EXPECT_EQ(t.sent(), lines{});
    EXPECT_TRUE(t.it.waits("s"));
    t.it.try_again();
    EXPECT_EQ(t.done(), (lines{"s record 1", "t record 2"}));
  }
}

// -- events ----------------------------------------------------------------------------------

TEST(store_writes, keep_so_many_events_of_a_session_and_clear_all_before_those_that_it_lacks) {
  for (std::uint64_t count : {2, 3, 4}) {
    store_writes_driver t{{.events_of_one = 3}};
    t.it.keep("s", event(0, "what for"));
    for (std::uint64_t i = 1; i < count; ++i)
      EXPECT_EQ(t.it.keep("s", event(i)), i < 3) << i;
    EXPECT_TRUE(t.it.keep("quiet", event(1)));
    auto all = t.done();
    std::erase(all, "quiet event 1");
    lines whole{"s event 0", "s event 1", "s event 2"};
    if (count == 4)
      EXPECT_EQ(all, (lines{"s clear", "s event 0", "s event 3"}));
    else
      EXPECT_EQ(all, lines(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(count)));
    t.it.keep("s", event(9));
    EXPECT_EQ(t.done(), lines{"s event 9"});
  }
}

TEST(store_writes, keep_so_many_bytes_of_a_session_but_one_event_of_any_size) {
  store_writes_driver t{{.bytes = 10, .bytes_of_one = 4}};
  EXPECT_TRUE(t.it.keep("s", event(1, "12")));
  EXPECT_TRUE(t.it.keep("s", event(2, "34")));
  EXPECT_FALSE(t.it.keep("s", event(3, "5")));
  EXPECT_EQ(t.done(), (lines{"s clear", "s event 3"}));
  EXPECT_TRUE(t.it.keep("s", event(4, "1234567890")));
  EXPECT_FALSE(t.it.keep("t", event(1)));
  EXPECT_EQ(t.done(), lines{"s event 4"});
  EXPECT_FALSE(t.it.keep("s", event(5, "12345678901")));
  EXPECT_TRUE(t.it.keep("s", event(6)));
  EXPECT_EQ(t.done(), (lines{"s clear", "s event 6"}));
}

TEST(store_writes, keep_so_many_events_of_all_sessions_and_no_log_with_a_gap) {
  store_writes_driver t{{.events = 2}};
  t.it.keep("a", event(1));
  t.it.keep("b", event(1));
  EXPECT_FALSE(t.it.keep("c", event(1)));
  t.done();
  EXPECT_TRUE(t.it.keep("c", event(2)));
  EXPECT_EQ(t.done(), (lines{"c clear", "c event 2"}));
}

TEST(store_writes, have_events_again_that_were_lost_in_their_order) {
  store_writes_driver t;
  for (std::uint64_t i = 1; i <= 3; ++i)
    t.it.keep("s", event(i));
  t.sent();
  t.end(store_fate::done);
  t.end(store_fate::lost, 2);
  t.it.try_again();
  t.it.keep("s", event(4));
  EXPECT_EQ(t.done(), (lines{"s event 2", "s event 3", "s event 4"}));
}

TEST(store_writes, clear_the_log_of_which_the_store_refused_an_event_before_the_next) {
  store_writes_driver t;
  t.it.keep("s", event(1));
  t.it.keep("s", event(2));
  t.sent();
  t.end(store_fate::failed);
  t.end(store_fate::done);
  t.it.try_again();
  EXPECT_EQ(t.sent(), lines{});
  EXPECT_FALSE(t.it.waits("s"));
  t.it.keep("s", event(3));
  EXPECT_EQ(t.sent(), (lines{"s clear", "s event 3"}));
  t.end(store_fate::lost, 2);
  t.it.try_again();
  EXPECT_EQ(t.sent(), lines{});
  t.it.keep("s", event(4));
  EXPECT_EQ(t.done(), (lines{"s clear", "s event 4"}));
}

TEST(store_writes, have_nothing_again_behind_a_clearing_that_comes_before_it) {
  store_writes_driver t{{.events_of_one = 3}};
  t.it.keep("s", event(0, "what for"));
  t.it.keep("s", event(1, "11"));
  t.it.keep("s", event(2));
  t.sent();
  EXPECT_FALSE(t.it.keep("s", event(3)));
  t.end(store_fate::lost, 3);
  t.it.try_again();
  t.it.keep("s", event(4));
  EXPECT_EQ(t.done(), (lines{"s clear", "s event 0", "s event 4"}));
  EXPECT_FALSE(t.it.waits("s"));
}

TEST(store_writes, have_no_events_before_one_that_is_missing) {
  store_writes_driver t;
  t.it.keep("s", event(1));
  t.it.miss("s");
  t.it.keep("s", event(3));
  EXPECT_EQ(t.done(), (lines{"s clear", "s event 3"}));
}

// -- the end of a session --------------------------------------------------------------------

TEST(store_writes, of_a_session_that_is_over_are_dropped_and_it_is_forgotten_until_that_is_done) {
  store_writes_driver t{one_at_a_time};
  t.it.keep("s", event(1));
  t.sent();
  t.it.remember("s", "r");
  t.it.keep("s", event(2));
  t.it.forget("s");
  t.end(store_fate::lost);
  EXPECT_EQ(t.sent(), lines{"s forget"});
  t.end(store_fate::failed);
  t.it.drop_all();
  t.it.try_again();
  EXPECT_EQ(t.done(), (lines{"s forget"}));
  EXPECT_FALSE(t.it.waits("s"));
}

TEST(store_writes, are_dropped_when_nothing_is_ours_and_no_log_has_a_gap_by_what_comes_late) {
  store_writes_driver t{one_at_a_time};
  t.it.keep("s", event(1));
  t.sent();
  t.it.keep("s", event(2));
  t.it.remember("s", "r");
  t.it.keep("t", event(1));
  t.it.drop_all();
  t.end(store_fate::done);
  EXPECT_EQ(t.sent(), lines{});
  t.it.keep("s", event(3));
  t.it.keep("u", event(1));
  EXPECT_EQ(t.done(), (lines{"s clear", "u event 1", "s event 3"}));
  t.it.drop("t");
  t.it.keep("t", event(2));
  EXPECT_EQ(t.done(), lines{"t event 2"});
}

TEST(store_writes, of_a_session_that_is_not_ours_are_dropped) {
  store_writes_driver t{one_at_a_time};
  t.it.keep("s", event(1));
  t.sent();
  t.it.keep("s", event(2));
  t.it.remember("s", "r");
  t.end(store_fate::refused);
  t.it.drop("s");
  EXPECT_EQ(t.sent(), lines{});
  EXPECT_FALSE(t.it.waits("s"));
  t.it.give_back("s", 1);
  EXPECT_TRUE(t.it.waits("s"));
  EXPECT_EQ(t.done(), lines{"s give back"});
}

// -- total limits ----------------------------------------------------------------------------

TEST(store_writes, keeps_so_many_bytes_of_all_sessions_and_clears_the_one_that_has_most) {
  store_writes_driver t{{.kept_bytes = 10}};
  EXPECT_TRUE(t.it.holds("a", 6));
  EXPECT_TRUE(t.it.holds("b", 3));
  EXPECT_TRUE(t.it.holds("b", 4)) << "ten bytes are kept";
  EXPECT_EQ(t.sent(), lines{});
  EXPECT_FALSE(t.it.holds("b", 5));
  EXPECT_EQ(t.done(), lines{"a clear"});
  EXPECT_TRUE(t.it.holds("a", 5));
  EXPECT_FALSE(t.it.holds("c", 11)) << "it has most itself";
  EXPECT_EQ(t.done(), lines{"c clear"});
}

TEST(store_writes, does_not_count_what_was_written_before_a_session_was_over) {
  store_writes_driver t{{.kept_bytes = 10}};
  t.it.remember("a", "r");
  t.it.forget("a");
  EXPECT_TRUE(t.it.holds("a", 11));
  t.done();
  EXPECT_TRUE(t.it.holds("b", 10));
}

TEST(store_writes, keeps_less_when_sessions_are_over) {
  using ending = void (*)(store_writes&);
  for (ending end : {+[](store_writes& it) { it.forget("a"); }, +[](store_writes& it) { it.drop("a"); },
                     +[](store_writes& it) { it.release("a"); }}) {
    store_writes_driver t{{.kept_bytes = 10}};
    t.it.holds("a", 6);
    end(t.it);
    EXPECT_TRUE(t.it.holds("b", 10));
  }
  store_writes_driver t{{.kept_bytes = 10}};
  t.it.holds("a", 6);
  t.it.drop_all();
  EXPECT_TRUE(t.it.holds("b", 10));
}

} // namespace troupe::tests::store_writes_test
