// The end of a session with a record in the store: clients get 404 once the store has forgotten the session.

#include "tests/protocol/session/record_effects.hpp"
#include "tests/protocol/session/session_refusals.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_ending_test {

namespace {

const std::string ended = "its client ended it";

struct ending_driver : session_driver {
  ending_driver() {
    it = session{{.waiting = 2}, std::make_unique<http_delivery>(http_limits{}, tag), now, session_record{.path = "p"}};
    opened();
  }
  effects forgotten(bool is_done = true) { return it.forgotten(is_done, now); }
};

rejection unconfirmed(const std::string& id = {}) { return end_unconfirmed(id); }

} // namespace

TEST(session_ending, confirms_a_delete_once_the_store_has_forgotten_the_session) {
  ending_driver t;
  EXPECT_EQ(t.deletes(3), effects{forget_session{}});
  EXPECT_EQ(t.forgotten(), (effects{confirm_end{3}, end_session{ended}}));
  EXPECT_EQ(t.forgotten(), effects{});
  EXPECT_EQ(t.posts(4, request("1", "m")), (effects{reject{4, no_session}}));
}

TEST(session_ending, confirms_a_delete_at_once_when_no_record_was_written) {
  ending_driver t;
  t.it = session{{}, std::make_unique<http_delivery>(http_limits{}, tag), t.now, session_record{.path = "p"}};
  EXPECT_EQ(t.deletes(1), (effects{confirm_end{1}, end_session{ended}}));
}

TEST(session_ending, answers_503_to_a_delete_after_3_s_and_lets_a_repeated_one_wait) {
  ending_driver t;
  t.deletes(3);
  EXPECT_EQ(t.it.deadline(), t.now + 3s);
  EXPECT_EQ(t.after(3s - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{reject{3, unconfirmed()}}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.deletes(4), effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 3s);
  EXPECT_EQ(t.forgotten(), (effects{confirm_end{4}, end_session{ended}}));
}

TEST(session_ending, confirms_a_delete_that_waits_and_answers_404_to_a_call_that_waits) {
  ending_driver t;
  t.posts(3, request("1", "m"));
  EXPECT_EQ(t.deletes(4).back(), effect{forget_session{}});
  EXPECT_EQ(t.server(result("2")), effects{}) << "it has ended";
  EXPECT_EQ(t.posts(5, request("2", "m")), effects{});
  EXPECT_EQ(t.listens(6), (effects{reject{6, unavailable("too many requests wait for the end of the session")}}));
  EXPECT_EQ(t.forgotten(), (effects{confirm_end{4}, reject{5, no_session}, end_session{ended}}));
}

TEST(session_ending, sends_nothing_to_a_client_that_has_left) {
  ending_driver t;
  t.deletes(3);
  t.leaves(3);
  EXPECT_EQ(t.forgotten(), (effects{end_session{ended}}));
}

TEST(session_ending, answers_404_only_once_the_store_has_forgotten_the_session) {
  ending_driver idle, crashed;
  EXPECT_EQ(idle.after(30min), effects{forget_session{}});
  EXPECT_EQ(crashed.server_lost("it crashed"), effects{forget_session{}});
  for (auto t : {&idle, &crashed}) {
    EXPECT_EQ(t->posts(3, request("1", "m")), effects{});
    EXPECT_EQ(t->after(3s), (effects{reject{3, unconfirmed("1")}}));
    EXPECT_EQ(t->posts(4, request("2", "m")), effects{});
    EXPECT_EQ(t->forgotten().front(), (effect{reject{4, no_session}}));
  }
}

TEST(session_ending, confirms_no_delete_when_the_store_gives_up_or_another_node_may_have_the_session) {
  ending_driver given_up, released;
  for (auto t : {&given_up, &released})
    t->deletes(3);
  const effects refused{reject{3, unconfirmed()}, end_session{ended}};
  EXPECT_EQ(given_up.forgotten(false), refused);
  EXPECT_EQ(released.it.released(released.now), refused);
}

TEST(session_ending, lasts_in_a_stopping_gateway_only_while_a_client_waits) {
  ending_driver idle, late, hurried;
  idle.server_lost("it crashed");
  EXPECT_EQ(idle.drain(), (effects{end_session{"it crashed"}}));
  late.deletes(3);
  EXPECT_EQ(late.it.depart("it stops", late.now), effects{});
  EXPECT_EQ(late.after(3s), (effects{reject{3, unconfirmed()}, end_session{ended}}));
  hurried.deletes(3);
  EXPECT_EQ(hurried.drain(), effects{});
  EXPECT_EQ(hurried.drain(true), (effects{reject{3, unconfirmed()}, end_session{ended}}));
}

} // namespace troupe::tests::session_ending_test
