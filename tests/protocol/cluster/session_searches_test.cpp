// Searches for sessions in the store, and the answers to waiting requests.

#include "protocol/cluster/session_searches.hpp"
#include "tests/support/store_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::session_searches_test {

namespace {

using moment = session_searches::moment;
using verdict = store_verdict;

/// Tenures last ten seconds, so the node waits eleven for an owner that may be alive. This node has a tenure.
struct searcher {
  searcher() { it.tenure_runs(); }
  lines searched(const std::string& session, std::vector<std::string> alive = {}, moment can_ask = moment::now,
                 std::string uncertain_owner = {}) {
    return lines_of(it.searched(session, std::move(alive), std::move(uncertain_owner), can_ask, begun));
  }
  lines ask(const std::string& session, moment can_ask, time_point now) {
    return lines_of(it.ask(session, can_ask, now));
  }
  lines found(const std::string& session, verdict is, time_point now = begun, const std::string& owner = {}) {
    return lines_of(it.found({session, {is, {}}, owner, "record", {{1, 7, "x", false}}}, now));
  }

  session_searches it{10s};
};

constexpr auto patience = 11s;

} // namespace

TEST(session_searches, end_with_what_the_store_says) {
  searcher a;
  EXPECT_EQ(a.searched("s"), lines{"take s"});
  EXPECT_EQ(a.found("s", verdict::done), lines{"tell s ours record 7 #1"});
  a.searched("s");
  EXPECT_EQ(a.found("s", verdict::unknown), lines{"tell s unknown"});
  for (auto is : {verdict::foreign, verdict::failed}) {
    a.searched("s");
    EXPECT_EQ(a.found("s", is), lines{"tell s unavailable"});
  }
  EXPECT_EQ(a.found("s", verdict::done), lines{}) << "nobody seeks it any more";
}

TEST(session_searches, end_at_once_when_the_owner_is_there) {
  searcher a;
  a.searched("s", {"b", "c"});
  EXPECT_EQ(a.found("s", verdict::busy, begun, "c"), lines{"tell s elsewhere at c"});
}

/// A node that stood still has lost all links: its search begins without a node that is alive.
TEST(session_searches, end_once_the_owner_is_reached) {
  searcher a;
  a.searched("s");
  EXPECT_EQ(a.found("s", verdict::busy, begun, "c"), lines{});
  a.it.nodes_alive({"b", "c"});
  auto next = begun + session_searches::pause;
  EXPECT_EQ(a.ask("s", moment::now, next), lines{"take s"});
  EXPECT_EQ(a.found("s", verdict::busy, next, "c"), lines{"tell s elsewhere at c"});
}

TEST(session_searches, wait_for_an_owner_that_is_lost_meanwhile) {
  searcher a;
  a.searched("s", {"b", "c"});
  a.it.nodes_alive({"b"});
  EXPECT_EQ(a.found("s", verdict::busy, begun, "c"), lines{});
  EXPECT_EQ(a.it.due(begun + session_searches::pause), lines{"s"});
}

TEST(session_searches, let_an_owner_that_could_not_tell_have_a_pause_to_find_out) {
  searcher a;
  a.searched("s", {"b", "c"}, moment::now, "c");
  EXPECT_EQ(a.found("s", verdict::busy, begun, "c"), lines{});
  auto next = begun + session_searches::pause;
  EXPECT_EQ(a.it.due(next), lines{"s"});
  EXPECT_EQ(a.ask("s", moment::now, next), lines{"take s"});
  EXPECT_EQ(a.found("s", verdict::busy, next, "c"), lines{"tell s elsewhere at c"});
  a.searched("t", {"b", "c"}, moment::now, "c");
  EXPECT_EQ(a.found("t", verdict::busy, begun, "b"), lines{"tell t elsewhere at b"});
}

TEST(session_searches, give_a_session_only_to_a_node_whose_tenure_runs) {
  searcher a;
  a.it.tenure_ended();
  a.searched("s");
  EXPECT_EQ(a.found("s", verdict::done), lines{}) << "the lease may run again";
  EXPECT_EQ(a.ask("s", moment::now, begun + session_searches::pause), lines{"take s"});
  EXPECT_EQ(a.found("s", verdict::done, begun + patience), lines{"tell s unavailable"});
}

/// While this tenure was interrupted, other nodes may have taken the session.
TEST(session_searches, ask_again_for_a_session_that_was_given_while_the_tenure_may_not_have_run) {
  searcher a;
  a.searched("s");
  a.it.tenure_ended();
  a.it.tenure_runs();
  EXPECT_EQ(a.found("s", verdict::done), lines{});
  EXPECT_EQ(a.ask("s", moment::now, begun + session_searches::pause), lines{"take s"});
  EXPECT_EQ(a.found("s", verdict::done), lines{"tell s ours record 7 #2"});
  a.it.tenure_ended();
  a.searched("t");
  a.it.tenure_runs();
  EXPECT_EQ(a.found("t", verdict::done, begun + patience - 1ns), lines{});
  EXPECT_EQ(a.found("t", verdict::done, begun + patience), lines{"tell t unavailable"});
}

TEST(session_searches, of_one_session_are_one) {
  searcher a;
  EXPECT_EQ(a.searched("s"), lines{"take s"});
  EXPECT_EQ(a.searched("s"), lines{});
  EXPECT_EQ(a.searched("t"), lines{"take t"});
}

TEST(session_searches, go_on_until_the_tenure_of_the_owner_must_have_run_out) {
  for (auto is : {verdict::busy, verdict::lapsed, verdict::untold, verdict::lost}) {
    searcher a;
    a.searched("s", {"c"});
    EXPECT_EQ(a.found("s", is, begun + patience - 1ns, "b"), lines{});
    auto next = begun + patience - 1ns + session_searches::pause;
    EXPECT_EQ(a.it.deadline(), next);
    EXPECT_EQ(a.ask("s", moment::now, next), lines{"take s"});
    EXPECT_EQ(a.it.deadline(), time_point::max());
    EXPECT_EQ(a.found("s", is, next, "b"), lines{"tell s unavailable"});
  }
}

TEST(session_searches, pause_between_two_questions) {
  searcher a;
  a.searched("s");
  a.found("s", verdict::busy, begun, "b");
  EXPECT_EQ(a.it.due(begun + 250ms - 1ns), lines{});
  EXPECT_EQ(a.it.due(begun + 250ms), lines{"s"});
  EXPECT_EQ(a.it.due(begun + 250ms + 1ns), lines{"s"});
}

TEST(session_searches, wait_until_the_store_can_be_asked_but_not_longer_than_for_an_owner) {
  searcher a;
  EXPECT_EQ(a.searched("s", {}, moment::later), lines{});
  EXPECT_EQ(a.it.deadline(), begun + session_searches::pause);
  EXPECT_EQ(a.ask("s", moment::later, begun + patience - 1ns), lines{});
  EXPECT_EQ(a.ask("s", moment::later, begun + patience), lines{"tell s unavailable"});
  EXPECT_EQ(a.searched("t", {}, moment::never), lines{"tell t unavailable"});
}

TEST(session_searches, go_on_at_once_when_what_they_waited_for_is_there) {
  searcher a;
  EXPECT_FALSE(a.it.end_pause("s", begun));
  a.searched("s");
  EXPECT_FALSE(a.it.end_pause("s", begun)) << "an answer is awaited";
  a.found("s", verdict::lapsed);
  EXPECT_TRUE(a.it.end_pause("s", begun + 1ms));
  EXPECT_EQ(a.it.due(begun + 1ms), lines{"s"});
}

TEST(session_searches, are_so_many_at_a_time) {
  searcher a;
  for (std::size_t i = 1; i <= session_searches::most; ++i)
    EXPECT_EQ(a.searched("s" + std::to_string(i)), lines{"take s" + std::to_string(i)});
  EXPECT_EQ(a.searched("s"), lines{"tell s unavailable"});
  EXPECT_EQ(a.searched("s1"), lines{}) << "it is being sought";
  a.found("s1", verdict::unknown);
  EXPECT_EQ(a.searched("s"), lines{"take s"});
}

TEST(session_searches, do_not_ask_for_what_is_over) {
  searcher a;
  a.it.end("s", true);
  EXPECT_EQ(a.searched("s"), lines{"tell s over"});
  EXPECT_EQ(a.searched("t"), lines{"take t"});
}

TEST(session_searches, tell_by_which_of_their_questions_a_session_is_ours) {
  searcher a;
  auto number = [&] {
    return std::get<take_over_session>(a.it.searched("s", {}, {}, moment::now, begun).front()).number;
  };
  EXPECT_EQ(number(), 1u);
  EXPECT_EQ(a.found("s", verdict::failed), lines{"tell s unavailable"});
  EXPECT_EQ(number(), 2u);
  EXPECT_EQ(a.searched("t"), lines{"take t"});
  EXPECT_EQ(a.found("s", verdict::done), lines{"tell s ours record 7 #2"});
  EXPECT_EQ(a.found("t", verdict::done), lines{"tell t ours record 7 #3"});
}

} // namespace troupe::tests::session_searches_test
