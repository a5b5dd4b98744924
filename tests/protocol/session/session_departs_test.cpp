// A session that moves to another node because its own will stop.

#include "tests/protocol/session/record_effects.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_departs_test {

namespace {

const std::string why = "it moves";

struct departing_driver : session_driver {
  explicit departing_driver(const session_limits& limits = {}) {
    it = session{limits, std::make_unique<http_delivery>(http_limits{}, tag), now, session_record{.path = "p"}};
    opened();
  }
  effects departs() { return without_positions(it.depart(why, now)); }
  effects released() { return without_positions(it.released(now)); }
};

post_body body(const std::string& text) { return std::get<post_body>(read_body(text)); }
pass_on passes(exchange_id exchange, const std::string& text) { return {exchange, waiting_post{body(text)}}; }

} // namespace

TEST(session_departs, at_once_when_no_call_is_in_flight) {
  departing_driver t;
  EXPECT_EQ(t.departs(), (effects{hand_over{}}));
  EXPECT_EQ(t.departs(), effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.released(), (effects{end_session{why, true}}));
  EXPECT_EQ(t.released(), effects{});
}

TEST(session_departs, when_its_last_call_is_answered) {
  departing_driver t;
  t.posts(3, request("1", "m"));
  t.posts(4, request("2", "m"));
  EXPECT_EQ(t.departs(), effects{});
  EXPECT_EQ(t.server(result("2")), (effects{reply{3, result("1")}}));
  EXPECT_EQ(t.server(result("3")), (effects{reply{4, result("2")}, hand_over{}}));
}

TEST(session_departs, with_the_calls_that_came_meanwhile) {
  departing_driver t;
  t.posts(3, request("1", "m"));
  t.departs();
  EXPECT_EQ(t.posts(4, request("2", "m")), effects{});
  EXPECT_EQ(t.server(result("2")), (effects{reply{3, result("1")}, hand_over{}}));
  EXPECT_EQ(t.listens(5, "t-1-1"), effects{});
  EXPECT_EQ(t.posts(6, note("notifications/n")), effects{});
  EXPECT_EQ(t.deletes(7), effects{});
  EXPECT_EQ(t.released(),
            (effects{passes(4, request("2", "m")), pass_on{5, waiting_listen{"t-1-1"}},
                     passes(6, note("notifications/n")), pass_on{7, waiting_end{}}, end_session{why, true}}));
}

TEST(session_departs, and_lets_calls_in_flight_have_what_they_need_until_then) {
  departing_driver t;
  t.posts(3, request("1", "m"));
  t.departs();
  EXPECT_EQ(t.posts(4, request("2", "ping")), (effects{reply{4, empty_result("2")}}));
  EXPECT_EQ(t.posts(5, note("notifications/n")), (effects{accept{5}, forwarded(note("notifications/n"))}));
  EXPECT_EQ(t.posts(6, cancelled("1")).back(), effect{hand_over{}});
}

TEST(session_departs, and_does_not_let_a_cancellation_overtake_the_call_that_waits) {
  departing_driver t;
  t.posts(3, request("1", "m"));
  t.departs();
  t.posts(4, request("2", "m"));
  EXPECT_EQ(t.posts(5, cancelled("2")), effects{});
  EXPECT_EQ(t.posts(6, cancelled("3")), effects{accept{6}});
  t.server(result("2"));
  EXPECT_EQ(t.released(), (effects{passes(4, request("2", "m")), passes(5, cancelled("2")), end_session{why, true}}));
}

TEST(session_departs, without_those_whose_clients_have_gone) {
  departing_driver t;
  t.departs();
  t.posts(3, request("1", "m"));
  EXPECT_EQ(t.leaves(3), effects{});
  EXPECT_EQ(t.released(), (effects{end_session{why, true}}));
}

TEST(session_departs, and_closes_the_streams_of_those_who_listen) {
  departing_driver t;
  t.listens(3);
  auto told = t.departs();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], effect{end_stream{3}});
  EXPECT_EQ(told[1], effect{hand_over{}});
}

TEST(session_departs, and_says_once_more_that_others_may_have_it_when_the_store_may_have_lost_that) {
  departing_driver t;
  t.departs();
  EXPECT_EQ(t.it.write_again(t.now).size(), 1U) << "it is claimed with its record";
  EXPECT_EQ(t.it.regained(t.now), effects{hand_over{}});
}

TEST(session_departs, and_hears_no_more_of_its_server_once_it_has_let_go) {
  departing_driver t;
  t.departs();
  EXPECT_EQ(t.server(note("notifications/n")), effects{});
  EXPECT_EQ(t.server_lost("it ended"), effects{});
  EXPECT_EQ(t.after(24h), effects{});
}

TEST(session_departs, when_a_call_is_late) {
  departing_driver t;
  t.posts(3, request("1", "m"));
  t.departs();
  EXPECT_EQ(t.after(5min).back(), effect{hand_over{}});
}

TEST(session_departs, unless_the_grace_is_over_before) {
  departing_driver busy, idle;
  busy.posts(3, request("1", "m"));
  for (auto t : {&busy, &idle}) {
    t->departs();
    t->posts(4, request("2", "m"));
    EXPECT_EQ(t->drain(), effects{}) << "it departs already";
  }
  EXPECT_EQ(busy.drain(true), (effects{reply{3, failed("1", "The call was cut off: the gateway is stopping")},
                                       reject{4, session_moves()}, end_session{"the gateway is stopping", true}}));
  EXPECT_EQ(idle.drain(true), (effects{reject{4, session_moves()}, end_session{"the gateway is stopping", true}}));
  EXPECT_EQ(idle.released(), effects{});
}

TEST(session_departs, only_when_a_record_of_it_is_kept) {
  session_driver t;
  t.opened();
  EXPECT_EQ(t.it.depart(why, t.now), effects{});
  EXPECT_EQ(t.posts(3, request("1", "m")), (effects{asked(request("2", "m"), "2")}));
}

TEST(session_departs, with_as_many_calls_as_may_wait) {
  session_limits limits;
  limits.waiting = 2;
  departing_driver t{limits};
  t.departs();
  for (exchange_id exchange : {3U, 4U})
    EXPECT_EQ(t.posts(exchange, request(std::to_string(exchange), "m")), effects{});
  auto told = t.posts(5, request("5", "m"));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(std::get<reject>(told[0]).why.status, 503);
  EXPECT_EQ(t.released().size(), 3U);
}

} // namespace troupe::tests::session_departs_test
