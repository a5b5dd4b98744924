// Interaction of a node's tenure, its writes and its searches.

#include "tests/protocol/cluster/session_store_node.hpp"
#include "tests/support/store_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace troupe::tests::session_store_test {

namespace {

using verdict = store_verdict;
using node = session_store_node;

/// A node with a session "s" that has ended, and that the store could not forget.
node node_with_unforgotten() {
  node a;
  a.it = session_store{10s, {.unforgotten = 0}};
  a.hold();
  a.it.forget("s");
  a.written();
  a.answered(verdict::failed);
  return a;
}

const std::string ended = "note the store may take this node for lost: sessions that it keeps wait here";
const std::string again = "note the store knows again that this node lives";
const std::string not_kept = "note the store did not keep what it was told why=";

} // namespace

// -- writing ---------------------------------------------------------------------------------

TEST(session_store, writes_only_while_the_tenure_runs) {
  node a;
  a.it.remember("s", "r");
  EXPECT_EQ(a.written(), lines{});
  a.reach_all();
  EXPECT_EQ(a.written(), lines{});
  a.renewed(verdict::done, begun);
  EXPECT_EQ(a.written(), lines{"s"});
  a.answered(verdict::done);
  EXPECT_EQ(a.tick(begun + 9s), (lines{"end", ended, "renew"}));
  a.it.remember("s", "r");
  EXPECT_EQ(a.written(), lines{});
  EXPECT_FALSE(a.it.next_write_unlimited());
}

TEST(session_store, drops_what_waits_when_the_tenure_has_run_out_but_not_that_a_session_is_over) {
  node a;
  a.hold();
  a.it.lost(store_connection::writes, "gone", begun);
  a.it.remember("s", "r");
  a.it.forget("t");
  a.renewed(verdict::lost, begun);
  a.tick(begun + 9s);
  a.hold(begun + 10s);
  EXPECT_EQ(a.written(), lines{"t"});
}

TEST(session_store, notices_that_the_store_lacks_the_last_session_that_was_taken) {
  node a;
  a.hold();
  EXPECT_EQ(a.it.seen().taken, 0u);
  for (auto session : {"s", "t"})
    a.it.searched(session, {}, {}, begun);
  a.found("t", verdict::done);
  a.found("s", verdict::done);
  EXPECT_EQ(a.it.seen().taken, 2u);
}

TEST(session_store, reports_a_session_as_gone_only_when_the_store_has_forgotten_it) {
  node a;
  a.hold();
  a.it.forget("s");
  EXPECT_EQ(a.searched("s"), lines{}) << "it waits for the write";
  a.written();
  EXPECT_EQ(a.answered(verdict::done), (lines{"s is gone", "tell s over"}));
  EXPECT_EQ(a.searched("s"), lines{"tell s over"});
}

TEST(session_store, looks_for_a_session_that_another_node_took_before_it_was_forgotten) {
  node a;
  a.hold();
  a.it.forget("s");
  a.written();
  EXPECT_EQ(a.answered(verdict::foreign).front(), "disown s");
  EXPECT_EQ(a.searched("s"), lines{"take s"});
}

/// Otherwise the node would answer 404, and the store may still restore the session.
TEST(session_store, calls_a_session_over_only_once_the_store_has_forgotten_it) {
  node a;
  a.it = session_store{10s, {.unforgotten = 0}};
  a.hold();
  a.it.forget("s");
  a.written();
  EXPECT_EQ(a.answered(verdict::failed).back(), "s is not gone");
  EXPECT_EQ(a.written(), lines{}) << "too many sessions are not forgotten";
  EXPECT_EQ(a.searched("s"), lines{}) << "it waits for the next attempt";
  EXPECT_EQ(a.written(), lines{"s"});
  EXPECT_EQ(a.answered(verdict::failed), (lines{"s is not gone", "tell s unavailable"}));
  EXPECT_EQ(a.searched("s"), lines{});
  a.written();
  EXPECT_EQ(a.answered(verdict::done), (lines{"s is gone", "tell s over"}));
  EXPECT_EQ(a.searched("s"), lines{"tell s over"});
}

TEST(session_store, lets_a_store_that_has_lost_data_forget_a_session_again_before_it_is_called_over) {
  for (auto lost : {verdict::emptied, verdict::moved}) {
    node a;
    a.hold();
    a.it.forget("s");
    a.written();
    a.answered(verdict::done);
    a.renewed(lost, begun + 2s);
    EXPECT_EQ(a.searched("s", begun + 2s), lines{});
    EXPECT_EQ(a.written(), lines{"s"});
    EXPECT_EQ(a.answered(verdict::done, begun + 2s), (lines{"s is gone", "tell s over"}));
  }
}

TEST(session_store, forgets_sessions_up_to_a_limit_without_a_search_for_them) {
  for (std::size_t ends : {1, 2, 3}) {
    node a;
    a.it = session_store{10s, {.unforgotten = 2}};
    a.hold();
    for (std::size_t i = 0; i < ends; ++i)
      a.it.forget("s" + std::to_string(i));
    a.written();
    for (std::size_t i = 0; i < ends; ++i)
      a.answered(verdict::failed);
    a.tick(begun + 2s);
    a.renewed(verdict::done, begun + 2s);
    EXPECT_EQ(a.written().size(), std::min<std::size_t>(ends, 2));
  }
}

TEST(session_store, looks_for_an_unforgotten_session_that_another_node_has_taken) {
  auto a = node_with_unforgotten();
  EXPECT_EQ(a.searched("s"), lines{});
  a.written();
  auto said = a.answered(verdict::foreign);
  EXPECT_EQ(said.front(), "disown s");
  EXPECT_EQ(said.back(), "take s");
}

TEST(session_store, calls_an_unforgotten_session_unavailable_while_the_store_is_out_of_reach) {
  auto a = node_with_unforgotten();
  for (auto by : {store_connection::writes, store_connection::searches, store_connection::tenure})
    a.it.lost(by, "gone", begun);
  a.tick(begun + 20s);
  EXPECT_EQ(a.searched("s", begun + 20s), lines{"tell s unavailable"});
}

TEST(session_store, writes_again_what_was_lost_when_the_tenure_is_confirmed_anew) {
  node a;
  a.hold();
  a.it.remember("s", "r");
  a.written();
  EXPECT_EQ(a.answered(verdict::lost), lines{});
  EXPECT_EQ(a.written(), lines{});
  a.tick(begun + 2s);
  EXPECT_EQ(a.renewed(verdict::done, begun + 2s), lines{"extend until 11000"});
  EXPECT_EQ(a.written(), lines{"s"});
}

/// The store gives no session to another node while the tenure runs, but its data may be older.
TEST(session_store, claims_a_session_that_has_another_owner_before_it_ends_the_session) {
  node a;
  a.hold();
  a.it.remember("s", "r");
  a.written();
  a.it.remember("s", "more");
  EXPECT_EQ(a.answered(verdict::foreign), lines{"doubt s"});
  EXPECT_EQ(a.written(), lines{}) << "it may not be ours";
  a.it.claim("s", "r", {.term = 0, .is_held = true});
  EXPECT_EQ(a.written(), lines{"s"});
  EXPECT_EQ(a.answered(verdict::foreign),
            (lines{"disown s", "note another node owns the session: nothing is kept of it session=…"}));
  EXPECT_EQ(a.written(), lines{}) << "its owner writes";
}

TEST(session_store, ends_a_session_that_has_another_owner_when_the_tenure_has_run_out) {
  node a;
  a.hold();
  a.it.remember("s", "r");
  a.written();
  a.tick(begun + 9s);
  EXPECT_EQ(a.answered(verdict::foreign, begun + 9s),
            (lines{"disown s", "note another node owns the session: nothing is kept of it session=…"}));
}

TEST(session_store, writes_nothing_of_a_session_before_its_claim_in_a_store_that_has_lost_data) {
  for (auto is : {verdict::emptied, verdict::moved}) {
    node a;
    a.hold();
    a.it.lost(store_connection::writes, "gone", begun);
    a.it.remember("s", "r");
    a.it.release("t");
    a.it.forget("u");
    a.it.reached(store_connection::writes, begun + 1s);
    a.renewed(is, begun + 1s);
    a.renewed(verdict::done, begun + 1s);
    EXPECT_EQ(a.written(), lines{"u"}) << "it is over, whoever has it";
    a.it.await_claim("v");
    a.it.keep("v", {1, 1, "x"});
    a.it.remember("new", "r");
    EXPECT_EQ(a.written(), lines{"new"});
    for (auto one : {"s", "t", "v"})
      a.it.claim(one, "r", {1, true, true});
    EXPECT_EQ(a.written(), (lines{"s", "t", "v"}));
    while (!a.open.empty())
      a.answered(verdict::done);
    EXPECT_EQ(a.written(), (lines{"s", "t", "v"})) << "the record, the release and the event";
  }
}

TEST(session_store, claims_a_session_with_its_first_record_from_before_the_store_lost_data) {
  node a;
  a.hold();
  a.renewed(verdict::moved, begun + 1s);
  a.it.remember_moved("s", "r", {1, true, true});
  auto claim = a.it.next_write();
  EXPECT_EQ(claim, (store_write{.what = store_task::claim, .session = "s", .record = "r", .claim = {1, true, true}}));
  EXPECT_EQ(lines_of(a.it.written("s", claim->what, {verdict::done}, begun + 1s, 1)), lines{"claimed s #1"});
  a.it.remember_moved("s", "r", {1, true, true});
  EXPECT_EQ(a.it.next_write()->what, store_task::record) << "it is ours since";
}

TEST(session_store, takes_no_session_by_a_query_to_a_store_that_has_lost_data_since) {
  node a;
  a.hold();
  EXPECT_EQ(a.searched("s"), lines{"take s"});
  a.renewed(verdict::moved, begun + 1s);
  EXPECT_EQ(a.found("s", verdict::done, begun + 1s), lines{}) << "the store may have forgotten that";
  EXPECT_EQ(a.tick(begun + 1s + session_searches::pause), lines{"take s"});
}

/// If the record did not reach the store, no other node can have ended the session.
TEST(session_store, gives_up_a_session_that_the_store_does_not_know_only_if_it_once_did) {
  node a;
  a.hold();
  a.it.remember("s", "r");
  EXPECT_EQ(a.written(), lines{"s"});
  a.answered(verdict::done);
  a.it.claim("s", "r", {1, false});
  a.it.claim("t", "r", {1, false});
  EXPECT_EQ(a.written(), (lines{"s", "t"}));
  EXPECT_EQ(a.answered(verdict::unknown), lines{"disown s"});
  EXPECT_EQ(a.answered(verdict::unknown), lines{});
  EXPECT_EQ(a.tick(begun + 8s), lines{"renew"});
  a.renewed(verdict::done, begun + 8s);
  EXPECT_EQ(a.tick(begun + 12500ms - 1ns), lines{"renew"});
  EXPECT_EQ(a.tick(begun + 12500ms), lines{"claim in a new store"});
  EXPECT_EQ(a.tick(begun + 13s), lines{});
}

TEST(session_store, says_why_something_was_not_kept) {
  for (auto [is, why] :
       {std::pair{verdict::unknown, "there is no such session in the store"}, std::pair{verdict::failed, "why"}}) {
    node a;
    a.hold();
    a.it.remember("s", "r");
    a.it.remember("t", "r");
    a.written();
    EXPECT_EQ(a.answered(is), lines{not_kept + why});
    EXPECT_EQ(a.answered(is), lines{});
  }
}

TEST(session_store, asks_for_the_tenure_when_a_write_was_refused_for_want_of_it) {
  node a;
  a.hold();
  a.it.remember("s", "r");
  a.written();
  EXPECT_EQ(a.answered(verdict::lapsed), (lines{not_kept + "the lease has run out", "renew"}));
  EXPECT_EQ(a.renewed(verdict::lapsed, begun), (lines{"end", ended, "extend until 9000", again, "claim again"}));
  EXPECT_EQ(a.written(), lines{}) << "others may have taken it";
}

TEST(session_store, complains_of_a_renewal_that_failed_and_of_no_other) {
  for (auto is : {verdict::failed, verdict::lost, verdict::done, verdict::lapsed}) {
    node a;
    a.reach_all();
    EXPECT_EQ(a.renewed(is, begun + 9s), is == verdict::failed ? lines{not_kept + "why"} : lines{});
  }
}

// -- searching -------------------------------------------------------------------------------

TEST(session_store, searches_only_when_all_ways_are_there) {
  for (auto by : {store_connection::tenure, store_connection::writes, store_connection::searches}) {
    node a;
    a.hold();
    a.it.lost(by, "gone", begun);
    EXPECT_EQ(a.searched("s"), lines{});
    EXPECT_EQ(a.tick(begun + session_searches::pause), lines{});
    a.it.reached(by, begun + session_searches::pause);
    EXPECT_EQ(a.tick(begun + 2 * session_searches::pause), lines{"take s"});
    EXPECT_EQ(a.searched("t"), lines{"take t"});
  }
}

/// A short loss of the store must not fail calls.
TEST(session_store, waits_for_a_store_that_is_lost_as_long_as_a_tenure_runs) {
  node a;
  a.hold();
  a.it.lost(store_connection::searches, "gone", begun);
  EXPECT_EQ(a.searched("s", begun + 10s - 1ns), lines{});
  EXPECT_EQ(a.searched("t", begun + 10s), lines{"tell t unavailable"});
  a.tick(begun + 10s);
  EXPECT_EQ(a.tick(begun + 11s), lines{"tell s unavailable"});
}

TEST(session_store, asks_again_when_an_answer_was_lost_with_its_connection) {
  node a;
  a.hold();
  EXPECT_EQ(a.searched("s"), lines{"take s"});
  a.it.lost(store_connection::searches, "gone", begun);
  EXPECT_EQ(a.found("s", verdict::lost), lines{});
  a.it.reached(store_connection::searches, begun + 100ms);
  EXPECT_EQ(a.tick(begun + session_searches::pause), lines{"take s"});
  EXPECT_EQ(a.found("s", verdict::done), lines{"tell s ours record #2"});
}

TEST(session_store, searches_when_its_tenure_has_begun) {
  node a;
  EXPECT_EQ(a.searched("s"), lines{});
  a.reach_all();
  EXPECT_EQ(a.tick(begun + session_searches::pause), lines{});
  a.renewed(verdict::done, begun);
  EXPECT_EQ(a.tick(begun + 2 * session_searches::pause), lines{"take s"});
}

/// A node that has just started may need several attempts to reach the store.
TEST(session_store, waits_for_a_store_that_was_never_reached_as_long_as_a_tenure_runs) {
  node a;
  a.searched("s");
  a.it.lost(store_connection::tenure, "refused", begun);
  EXPECT_EQ(a.tick(begun + session_searches::pause), lines{});
  EXPECT_EQ(a.tick(begun + 10s), lines{"tell s unavailable"});
  EXPECT_EQ(a.searched("t", begun + 10s), lines{"tell t unavailable"});
}

TEST(session_store, searches_for_a_session_when_all_that_it_wrote_of_it_is_done) {
  node a;
  a.hold();
  a.it.remember("s", "r");
  a.written();
  EXPECT_EQ(a.searched("s"), lines{});
  EXPECT_EQ(a.tick(begun + session_searches::pause), lines{});
  EXPECT_EQ(a.answered(verdict::done, begun + 300ms), lines{"take s"});
}

TEST(session_store, does_not_wait_for_what_it_cannot_write) {
  node a;
  a.hold();
  a.it.remember("s", "r");
  a.written();
  a.tick(begun + 9s);
  EXPECT_EQ(a.searched("s", begun + 9s), lines{"tell s unavailable"});
}

TEST(session_store, takes_no_session_by_a_tenure_that_has_run_out) {
  for (auto late : {9s - 1ns, 9s + 0ns, 9s + 1ns}) {
    node a;
    a.hold();
    a.it.searched("s", {}, {}, begun);
    auto seen = a.found("s", verdict::done, begun + late);
    if (late < 9s) {
      EXPECT_EQ(seen, (lines{"renew", "tell s ours record #1"}));
      continue;
    }
    EXPECT_EQ(seen, (lines{"end", ended, "renew"}));
    a.renewed(verdict::done, begun + late);
    EXPECT_EQ(a.tick(begun + late + session_searches::pause), lines{"take s"}) << "it asks again";
  }
}

/// By the time of the answer another node may have taken the session.
TEST(session_store, takes_no_session_by_a_tenure_that_has_run_out_and_runs_again_since_it_asked) {
  node a;
  a.hold();
  EXPECT_EQ(a.searched("s"), lines{"take s"});
  EXPECT_EQ(a.tick(begun + 9s), (lines{"end", ended, "renew"}));
  EXPECT_EQ(a.renewed(verdict::lapsed, begun + 9s), (lines{"extend until 18000", again, "claim again"}));
  EXPECT_EQ(a.found("s", verdict::done, begun + 9s), lines{});
  EXPECT_EQ(a.tick(begun + 9s + session_searches::pause), lines{"take s"});
  EXPECT_EQ(a.found("s", verdict::done, begun + 10s), lines{"tell s ours record #2"});
}

TEST(session_store, writes_nothing_of_a_session_from_before_it_was_taken) {
  node a;
  a.hold();
  a.searched("s");
  a.it.lost(store_connection::writes, "gone", begun);
  a.it.remember("s", "old");
  EXPECT_EQ(a.found("s", verdict::done), lines{"tell s ours record #1"});
  a.it.reached(store_connection::writes, begun);
  a.renewed(verdict::done, begun);
  EXPECT_EQ(a.written(), lines{});
}

/// A release sent on a broken connection may arrive after the session was taken again.
TEST(session_store, keeps_a_session_that_it_took_again_when_giving_it_back_is_carried_out_late) {
  store_model store{10s};
  store.renew("dead", {1}, begun - 10s);
  store.write("dead", {store_task::record, "s", "r"}, begun - 10s);
  store.renew("a", {9}, begun);
  node a;
  a.hold();
  auto take_over = [&] {
    auto asked = std::get<take_over_session>(a.it.searched("s", {}, {}, begun).front());
    return lines_of(a.it.found(store.take_over("a", asked, a.it.seen(), begun), begun));
  };
  EXPECT_EQ(take_over(), lines{"tell s ours at dead r #1"});
  a.it.give_back("s", 1);
  auto late = a.it.next_write();
  a.it.written("s", late->what, {verdict::lost}, begun);
  a.tick(begun + 2s);
  a.renewed(verdict::done, begun + 2s);
  auto again = a.it.next_write();
  EXPECT_EQ(again, late);
  a.it.written("s", again->what, {store.write("a", *again, begun)}, begun);
  EXPECT_TRUE(store.is_foreign("s", "a"));
  EXPECT_EQ(take_over(), lines{"tell s ours r #2"});
  store.write("a", *late, begun);
  EXPECT_FALSE(store.is_foreign("s", "a"));
}

TEST(session_store, gives_back_what_it_has_taken_by_the_last_question_and_then_asks_again) {
  node a;
  a.hold();
  a.searched("s");
  a.found("s", verdict::done);
  a.it.give_back("s", 1);
  EXPECT_EQ(a.searched("s"), lines{});
  auto given = a.it.next_write();
  EXPECT_EQ(given, (store_write{store_task::give_back, "s", {}, {}, 1}));
  EXPECT_EQ(lines_of(a.it.written("s", given->what, {verdict::done}, begun)), lines{"take s"});
}

TEST(session_store, calls_no_session_unknown_while_its_owner_may_return_to_a_store_without_data) {
  constexpr auto until = lost_lives::limits::patience_with(10s) + 10s;
  for (std::uint64_t renewal : {0, 1}) {
    store_model store{10s};
    store.renew("b", {2, {.renewal = renewal}}, begun);
    auto search = [&](time_point now) {
      node a;
      a.hold(now);
      store.renew("a", {1}, now);
      a.searched("s", now);
      return lines_of(a.it.found(store.take_over("a", {"s", 1}, a.it.seen(), now), now));
    };
    EXPECT_EQ(search(begun + until - 1ns), lines{}) << "the search goes on";
    EXPECT_EQ(search(begun + until), lines{"tell s unknown"});
  }
}

TEST(session_store, wakes_for_the_tenure_and_for_searches) {
  node a;
  EXPECT_EQ(a.it.deadline(), time_point::max());
  a.hold();
  EXPECT_EQ(a.it.deadline(), begun + 2s);
  a.searched("s");
  a.found("s", verdict::lapsed);
  EXPECT_EQ(a.it.deadline(), begun + session_searches::pause);
  EXPECT_EQ(a.tick(begun + session_searches::pause), lines{"take s"});
  EXPECT_EQ(a.it.deadline(), begun + 2s);
}

} // namespace troupe::tests::session_store_test
