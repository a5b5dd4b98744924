// Routing of requests whose session is not on this node.

#include "protocol/cluster/request_routing.hpp"
#include "protocol/rejection.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::request_routing_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

using outcome = search_outcome::outcome;

const node_life self{1, 1};
const node_life other{2, 7};
const node_life third{3, 1};
const node_life lost{4, 1};
/// A node that is no member and may return.
const node_life missing{5, 1};

sealed_session_ids ids() {
  return sealed_session_ids{[](std::string_view text) {
    random_bytes result{};
    for (std::size_t i = 0; i < text.size(); ++i)
      result[i % result.size()] ^= static_cast<std::byte>(text[i]);
    return std::vector{result};
  }};
}
/// Each `number` gives a different session.
std::string session_of(node_life owner, std::size_t number = 0) {
  return ids().make({static_cast<std::byte>(number), static_cast<std::byte>(number >> 8)}, owner);
}
known_node member(node_life life, bool draining = false) { return {life, "x", 1, draining}; }
post_body call() { return std::get<post_body>(read_body(R"({"jsonrpc":"2.0","id":5,"method":"m"})")); }

/// A node with two others. It knows that the lost one has ended.
struct node {
  explicit node(bool has_store = true, std::size_t restores = 2000) : it{ids(), self, has_store, restores} {
    it.members({member(other), member(third)}, true, {}, now, {lost});
  }

  request_route asked(const std::string& session, request_source came = request_source::client) {
    return it.asked(session, call(), came, now);
  }
  request_route asked_again(const std::string& session, node_life uncertain_owner) {
    return it.asked_again(session, uncertain_owner, now);
  }
  std::optional<waiting_route> found(const std::string& session, outcome is, node_life owner = {}) {
    return it.found(session, is, is == outcome::elsewhere ? life_text(owner) : "", now);
  }
  after_refusal refused(const rejection& why, bool has_copy = true, bool streams = false) {
    forwarded_exchange by{other, session_of(lost), call(), false};
    if (streams)
      by.begun();
    return it.refused(by, why, has_copy);
  }

  time_point now{std::chrono::hours{1}};
  request_routing it;
};

const request_route unknown = refuse_request{session_not_found()};
const request_route undecided = refuse_request{owner_unknown()};
const request_route unreachable = refuse_request{node_unreachable()};
const request_route question = ask_store{{life_text(other), life_text(third)}};
ask_store doubting(node_life one) { return {{life_text(other), life_text(third)}, life_text(one)}; }

} // namespace

// -- requests to other nodes -----------------------------------------------------------------

TEST(request_routing, goes_to_the_node_that_has_the_session) {
  EXPECT_EQ(node{}.asked(session_of(other)), request_route{forward_request{other}});
  EXPECT_EQ(node{false}.asked(session_of(third)), request_route{forward_request{third}});
}

TEST(request_routing, asks_the_store_for_the_session_of_a_node_that_is_lost) {
  EXPECT_EQ(node{}.asked(session_of(lost)), question);
  EXPECT_EQ(node{}.asked(session_of(self)), question);
  EXPECT_EQ(node{false}.asked(session_of(lost)), unknown);
}

TEST(request_routing, goes_nowhere_with_an_id_that_nobody_made) {
  for (auto came : {request_source::client, request_source::node, request_source::leaving_node})
    EXPECT_EQ(node{}.asked("x", came), unknown);
}

TEST(request_routing, goes_no_further_than_to_the_store_when_another_node_has_passed_it_on) {
  for (auto came : {request_source::node, request_source::leaving_node}) {
    EXPECT_EQ(node{}.asked(session_of(other), came), question);
    EXPECT_EQ(node{false}.asked(session_of(other), came), unknown);
  }
}

TEST(request_routing, waits_for_nodes_that_are_not_known_yet) {
  node a;
  a.it.members({}, false, {}, a.now);
  EXPECT_FALSE(a.it.is_ready());
  EXPECT_EQ(a.asked(session_of(lost)), request_route{await_nodes{}});
  a.it.drains(true);
  EXPECT_FALSE(a.it.may_end());
  a.it.members({}, true, {}, a.now);
  EXPECT_TRUE(a.it.may_end());
}

TEST(request_routing, asks_the_store_once_all_nodes_are_known) {
  node a;
  a.it.members({}, false, {}, a.now);
  EXPECT_EQ(a.asked(session_of(lost)), request_route{await_nodes{}});
  a.it.members({}, true, {}, a.now);
  EXPECT_TRUE(a.it.is_ready());
  EXPECT_EQ(a.asked(session_of(lost)), request_route{ask_store{}});
}

TEST(request_routing, is_cut_off_once_all_others_are_lost_unless_they_have_left) {
  node a;
  EXPECT_FALSE(a.it.members({member(other)}, true, {}, a.now));
  EXPECT_FALSE(a.it.is_cut_off());
  EXPECT_TRUE(a.it.members({}, false, {third}, a.now));
  EXPECT_TRUE(a.it.is_cut_off());
  EXPECT_FALSE(a.it.members({}, true, {}, a.now));
  EXPECT_TRUE(a.it.is_cut_off()) << "until there is another";
  EXPECT_TRUE(a.it.members({member(third)}, true, {}, a.now));
  EXPECT_FALSE(a.it.is_cut_off());
  EXPECT_FALSE(a.it.members({}, true, {third}, a.now));
  EXPECT_FALSE(a.it.is_cut_off());
}

TEST(request_routing, begins_sessions_at_nodes_that_take_any) {
  node a;
  EXPECT_EQ(a.asked(""), request_route{forward_request{other}});
  EXPECT_EQ(a.asked(""), request_route{forward_request{third}});
  a.it.members({member(other, true)}, true, {}, a.now);
  EXPECT_EQ(a.asked(""), request_route{refuse_request{gateway_stops("5")}});
}

TEST(request_routing, may_send_a_request_elsewhere_only_with_a_store_and_a_session) {
  EXPECT_TRUE(node{}.it.may_move("s"));
  EXPECT_FALSE(node{}.it.may_move(""));
  EXPECT_FALSE(node{false}.it.may_move("s"));
}

TEST(request_routing, lets_only_so_many_wait_for_other_nodes) {
  node a;
  a.it.members({}, false, {}, a.now);
  for (std::size_t i = 0; i < request_routing::most_waiting; ++i)
    EXPECT_EQ(a.asked(session_of(lost, i)), request_route{await_nodes{}});
  EXPECT_EQ(a.asked(session_of(lost)), request_route{refuse_request{nodes_not_known()}});
  a.it.members({}, true, {}, a.now);
  a.it.members({}, false, {}, a.now);
  EXPECT_EQ(a.asked(session_of(lost)), request_route{await_nodes{}});
}

// -- waiting for the store -------------------------------------------------------------------

TEST(request_routing, asks_the_store_once_for_all_requests_of_a_session) {
  node a;
  EXPECT_EQ(a.asked(session_of(lost)), question);
  EXPECT_EQ(a.asked(session_of(lost)), request_route{await_store{}});
  EXPECT_EQ(a.asked(session_of(lost, 1)), question);
  EXPECT_EQ(a.found(session_of(lost), outcome::ours), waiting_route{restore_here{}});
  EXPECT_EQ(a.found(session_of(lost), outcome::ours), std::nullopt) << "nobody waits any more";
  EXPECT_EQ(a.asked(session_of(lost)), question);
}

TEST(request_routing, goes_where_the_store_says_unless_another_node_has_passed_it_on) {
  node a;
  a.asked(session_of(lost));
  EXPECT_EQ(a.found(session_of(lost), outcome::elsewhere, third),
            (waiting_route{forward_all_waiting{forward_request{third}, undecided}}));
  EXPECT_EQ(a.asked(session_of(lost)), request_route{forward_request{third}}) << "that is remembered";
}

/// The store may lose the session: an owner that has missed its end would claim it again.
TEST(request_routing, has_earlier_owners_notified_of_sessions_that_this_node_has_taken) {
  node a;
  for (auto number : {0, 1}) {
    a.asked(session_of(lost, static_cast<std::size_t>(number)));
    a.it.found(session_of(lost, static_cast<std::size_t>(number)), outcome::ours, life_text(number == 0 ? lost : self),
               a.now);
  }
  EXPECT_EQ(a.it.extract_taken(other).size(), 0u);
  EXPECT_EQ(a.it.extract_taken(lost), std::vector{session_of(lost)}) << "the other one was this node's before";
  EXPECT_EQ(a.it.extract_taken(lost).size(), 0u);
}

/// Nodes between it and the last owner may have ended.
TEST(request_routing, has_the_node_that_began_a_session_notified_unless_that_is_a_member_or_has_ended) {
  node a;
  for (auto begun_by : {self, other, lost, missing}) {
    a.asked(session_of(begun_by));
    a.it.found(session_of(begun_by), outcome::ours, "", a.now);
  }
  for (auto no : {self, other, lost})
    EXPECT_EQ(a.it.extract_taken(no).size(), 0u);
  EXPECT_EQ(a.it.extract_taken(missing), std::vector{session_of(missing)});
  a.asked(session_of(missing));
  a.it.found(session_of(missing), outcome::ours, life_text(missing), a.now);
  EXPECT_EQ(a.it.extract_taken(missing).size(), 1u) << "it is notified once";
}

TEST(request_routing, asks_anew_when_the_owner_is_lost_meanwhile) {
  node a;
  a.asked(session_of(lost));
  a.it.members({member(other)}, true, {}, a.now);
  EXPECT_EQ(a.found(session_of(lost), outcome::elsewhere, third), waiting_route{ask_anew{}});
  EXPECT_EQ(a.asked(session_of(lost)), request_route{ask_store{{life_text(other)}}});
}

TEST(request_routing, tells_apart_what_is_over_and_what_nobody_can_tell) {
  for (auto [is, answer] : {std::pair{outcome::unknown, unknown}, std::pair{outcome::over, unknown},
                            std::pair{outcome::unavailable, undecided}}) {
    node a;
    a.asked(session_of(lost));
    EXPECT_EQ(a.found(session_of(lost), is), (waiting_route{forward_all_waiting{answer, answer}}));
  }
}

/// Otherwise two nodes pass the request to each other as long as the store names this one.
TEST(request_routing, does_not_ask_the_node_that_the_id_names_for_a_session_that_ended_here) {
  node a;
  a.asked(session_of(other), request_source::node);
  EXPECT_EQ(a.found(session_of(other), outcome::over), (waiting_route{forward_all_waiting{unknown, unknown}}));
}

TEST(request_routing, lets_so_many_requests_of_a_session_wait) {
  node a;
  EXPECT_EQ(a.asked(session_of(lost)), question);
  for (std::size_t i = 1; i < request_routing::most_of_one; ++i)
    EXPECT_EQ(a.asked(session_of(lost)), request_route{await_store{}}) << i;
  auto no = std::get<refuse_request>(a.asked(session_of(lost))).why;
  EXPECT_EQ(no, unavailable("too many requests of this session wait until its owner is known"));
  EXPECT_EQ(no.headers, (header_fields{{"Retry-After", "1"}}));
  EXPECT_EQ(a.asked_again(session_of(lost), other), request_route{refuse_request{no}});
  EXPECT_EQ(a.asked(session_of(lost), request_source::node), undecided) << "the other node looks elsewhere";
  EXPECT_EQ(a.asked(session_of(lost, 1)), question);
  a.found(session_of(lost), outcome::ours);
  EXPECT_EQ(a.asked(session_of(lost)), question);
}

TEST(request_routing, lets_so_many_requests_wait) {
  node a;
  for (std::size_t i = 0; i < request_routing::most_waiting; ++i)
    EXPECT_EQ(a.asked(session_of(lost, i)), question) << i;
  const auto no = unavailable("too many requests wait until the owners of their sessions are known");
  EXPECT_EQ(a.asked(session_of(lost)), request_route{refuse_request{no}});
  EXPECT_EQ(a.asked(session_of(lost), request_source::node), undecided) << "the other node looks elsewhere";
  a.found(session_of(lost), outcome::unknown);
  EXPECT_EQ(a.asked(session_of(lost)), question);
}

TEST(request_routing, asks_the_store_for_so_many_sessions_at_a_time_that_may_begin) {
  node a{true, 1};
  EXPECT_EQ(a.asked(session_of(lost)), question);
  EXPECT_EQ(a.asked_again(session_of(lost, 1), other), request_route{await_store{}});
  EXPECT_EQ(a.asked(session_of(lost, 1)), request_route{await_store{}});
  EXPECT_EQ(a.it.due(a.now).size(), 0U);
  a.found(session_of(lost), outcome::ours);
  EXPECT_EQ(a.it.due(a.now).size(), 0U);
  EXPECT_EQ(a.it.deadline(), a.now + std::chrono::seconds{1});
  using asked = std::vector<std::pair<std::string, ask_store>>;
  EXPECT_EQ(a.it.due(a.it.deadline()), (asked{{session_of(lost, 1), doubting(other)}}));
  EXPECT_EQ(a.found(session_of(lost, 1), outcome::ours), waiting_route{restore_here{}});
}

TEST(request_routing, refuses_whom_it_could_not_serve_in_time_and_says_when_to_come_again) {
  node a{true, 1};
  a.asked(session_of(lost));
  for (std::size_t i = 1; i <= 10; ++i)
    EXPECT_EQ(a.asked(session_of(lost, i)), request_route{await_store{}}) << i;
  auto no = std::get<refuse_request>(a.asked(session_of(lost, 11))).why;
  EXPECT_EQ(no, too_many_restores(std::chrono::seconds{10}));
  EXPECT_EQ(no.headers.at(0).second, "10");
  EXPECT_EQ(a.asked(session_of(lost, 11), request_source::node), undecided) << "the other node looks elsewhere";
}

// -- refusals --------------------------------------------------------------------------------

TEST(request_routing, asks_again_when_a_node_could_not_tell_and_nothing_has_been_said) {
  EXPECT_EQ(node{}.refused(owner_unknown()), after_refusal::ask_again);
  EXPECT_EQ(node{}.refused(owner_unknown(), false), after_refusal::send_to_client);
  EXPECT_EQ(node{}.refused(session_not_found()), after_refusal::send_to_client);
  EXPECT_EQ(node{}.refused(nodes_not_known()), after_refusal::send_to_client);
}

TEST(request_routing, fails_a_stream_that_is_refused_in_the_middle) {
  for (auto& why : {owner_unknown(), session_not_found(), nodes_not_known()})
    EXPECT_EQ(node{}.refused(why, true, true), after_refusal::fail);
}

TEST(request_routing, asks_a_node_that_could_not_tell_once_more_if_it_is_the_one_that_the_store_names) {
  node a;
  EXPECT_EQ(a.asked_again(session_of(other), other), request_route{doubting(other)});
  EXPECT_EQ(a.found(session_of(other), outcome::elsewhere, other),
            (waiting_route{forward_all_waiting{forward_request{other, true}, refuse_request{owner_unknown()}}}));
  a.asked_again(session_of(other), other);
  EXPECT_EQ(a.found(session_of(other), outcome::elsewhere, third),
            (waiting_route{forward_all_waiting{forward_request{third}, refuse_request{owner_unknown()}}}));
}

/// The store may have restarted empty, and the session may be waiting at that node to be written again.
TEST(request_routing, does_not_say_that_a_session_is_over_while_a_node_is_there_that_could_not_tell) {
  node a;
  a.asked_again(session_of(other), other);
  EXPECT_EQ(a.found(session_of(other), outcome::unknown), (waiting_route{forward_all_waiting{undecided, undecided}}));
  a.asked_again(session_of(other), other);
  a.it.members({member(third)}, true, {}, a.now, {other});
  EXPECT_EQ(a.found(session_of(other), outcome::unknown), (waiting_route{forward_all_waiting{unknown, unknown}}));
}

TEST(request_routing, forgets_where_a_session_was_when_it_is_not_there) {
  for (auto& [why, is_there] :
       {std::pair{session_not_found(), false}, std::pair{owner_unknown(), false}, std::pair{session_moves(), true}}) {
    node a;
    a.asked(session_of(lost));
    a.found(session_of(lost), outcome::elsewhere, other);
    a.refused(why);
    EXPECT_EQ(a.asked(session_of(lost)), is_there ? request_route{forward_request{other}} : question);
  }
  node a;
  a.asked(session_of(lost));
  a.found(session_of(lost), outcome::elsewhere, other);
  a.it.lost(session_of(lost));
  EXPECT_EQ(a.asked(session_of(lost)), question);
}

TEST(request_routing, says_that_a_session_is_over_with_its_node_unless_there_is_a_store) {
  node a, b{false};
  for (auto at : {other, lost, missing})
    EXPECT_EQ(a.it.gone(at, a.now), owner_unknown());
  EXPECT_EQ(b.it.gone(other, b.now), session_not_found()) << "the node is there, and the session is not";
  EXPECT_EQ(b.it.gone(lost, b.now), session_not_found());
  EXPECT_EQ(b.it.gone(missing, b.now), node_unreachable());
}

// -- nodes that may return -------------------------------------------------------------------

TEST(request_routing, waits_for_a_node_that_may_return_and_then_answers_503) {
  node a{false};
  EXPECT_EQ(a.asked(session_of(missing)), request_route{await_nodes{}});
  EXPECT_EQ(a.it.deadline(), a.now + 2s);
  EXPECT_FALSE(a.it.must_route_again(a.now));
  a.now += 2s;
  EXPECT_TRUE(a.it.must_route_again(a.now));
  EXPECT_EQ(a.asked(session_of(missing)), unreachable);
  EXPECT_FALSE(a.it.must_route_again(a.now)) << "none waits";
}

TEST(request_routing, sends_requests_to_a_node_that_has_returned) {
  node a{false};
  EXPECT_EQ(a.asked(session_of(missing)), request_route{await_nodes{}});
  a.it.drains(true);
  EXPECT_FALSE(a.it.may_end());
  a.it.members({member(missing)}, true, {}, a.now);
  EXPECT_TRUE(a.it.may_end());
  EXPECT_EQ(a.asked(session_of(missing)), request_route{forward_request{missing}});
}

TEST(request_routing, answers_404_once_the_node_of_a_session_was_out_of_reach_for_long) {
  node a{false};
  a.asked(session_of(missing));
  a.now += 15s;
  EXPECT_EQ(a.asked(session_of(missing)), request_route{await_nodes{}});
  a.now += 2s;
  EXPECT_EQ(a.asked(session_of(missing)), unknown);
}

TEST(request_routing, answers_404_at_once_when_the_node_of_a_session_has_left_or_runs_again) {
  node a{false};
  EXPECT_EQ(a.asked(session_of({other.node, other.incarnation - 1})), unknown);
  EXPECT_EQ(a.asked(session_of({self.node, self.incarnation - 1})), unknown);
  a.it.members({member(third)}, true, {other}, a.now);
  EXPECT_EQ(a.asked(session_of(other)), unknown);
}

/// A node without a tenure keeps no records, and records may be on their way.
TEST(request_routing, answers_503_when_the_store_does_not_know_a_session_while_its_node_may_return) {
  node a;
  a.asked(session_of(missing));
  EXPECT_EQ(a.found(session_of(missing), outcome::unknown), (waiting_route{forward_all_waiting{undecided, undecided}}));
  a.asked(session_of(self));
  EXPECT_EQ(a.found(session_of(self), outcome::unknown), (waiting_route{forward_all_waiting{unknown, unknown}}));
}

/// The session has moved to this node and ended here: the node that its id names would have it otherwise.
TEST(request_routing, asks_the_node_that_an_id_names_about_a_session_that_neither_this_node_nor_the_store_has) {
  request_route named = forward_request{other, true};
  node a;
  EXPECT_EQ(a.asked(session_of(other), request_source::node), question);
  EXPECT_EQ(a.found(session_of(other), outcome::unknown), (waiting_route{forward_all_waiting{named, named}}));
  EXPECT_EQ(a.asked_again(session_of(other), third), request_route{doubting(third)});
  EXPECT_EQ(a.found(session_of(other), outcome::unknown), (waiting_route{forward_all_waiting{undecided, undecided}}));
}

// -- the end ---------------------------------------------------------------------------------

TEST(request_routing, asks_the_store_for_nothing_at_a_node_that_stops) {
  node a;
  EXPECT_FALSE(a.it.is_draining());
  a.it.drains(false);
  EXPECT_TRUE(a.it.is_draining());
  EXPECT_EQ(a.asked(session_of(lost), request_source::node), undecided);
  EXPECT_EQ(a.asked(session_of(other)), request_route{forward_request{other}});
}

TEST(request_routing, has_one_more_node_ask_the_store_when_another_could_not_tell_a_node_that_stops) {
  node a;
  a.it.drains(false);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(a.asked_again(session_of(lost), other), (request_route{forward_request{third, true}}));
    EXPECT_EQ(a.asked_again(session_of(lost), third), (request_route{forward_request{other, true}}));
  }
  EXPECT_EQ(a.asked(session_of(lost)), request_route{forward_request{other}}) << "that is remembered";
  a.it.members({member(other), member(third, true)}, true, {}, a.now);
  EXPECT_EQ(a.asked_again(session_of(lost), other), undecided) << "no other node stays";
}

TEST(request_routing, has_a_node_that_stays_ask_the_store_when_it_does_not_answer_one_that_stops) {
  node a;
  a.asked(session_of(lost));
  a.it.drains(false);
  EXPECT_EQ(a.found(session_of(lost), outcome::unavailable),
            (waiting_route{forward_all_waiting{forward_request{other}, undecided}}));
}

TEST(request_routing, serves_a_session_here_that_lives_on_this_node_even_if_it_stops) {
  for (auto stops : {false, true}) {
    node a;
    a.asked(session_of(lost));
    a.asked(session_of(lost), request_source::node);
    if (stops)
      a.it.drains(false);
    EXPECT_EQ(a.found(session_of(lost), outcome::here),
              (waiting_route{forward_all_waiting{serve_here{}, serve_here{}}}));
  }
}

TEST(request_routing, returns_a_session_that_the_store_gives_to_a_node_that_stops) {
  node a;
  a.asked(session_of(lost));
  a.asked(session_of(lost), request_source::node);
  a.it.drains(true);
  EXPECT_EQ(a.found(session_of(lost), outcome::ours),
            (waiting_route{forward_all_waiting{forward_request{other}, undecided, true}}));
  EXPECT_TRUE(a.it.may_end());
}

TEST(request_routing, lets_another_node_take_what_is_asked_for_at_one_that_stops_and_always_the_same) {
  node a;
  a.it.drains(false);
  EXPECT_EQ(a.asked(session_of(self)), request_route{forward_request{other}});
  EXPECT_EQ(a.asked(session_of(self, 1)), request_route{forward_request{third}});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(a.asked(session_of(self)), request_route{forward_request{other}});
  a.refused(owner_unknown());
  EXPECT_EQ(a.asked(session_of(self)), request_route{forward_request{other}});
  a.it.lost(session_of(self));
  EXPECT_EQ(a.asked(session_of(self)), request_route{forward_request{other}});
  a.it.members({member(other, true)}, true, {}, a.now);
  EXPECT_EQ(a.asked(session_of(self, 2)), undecided) << "no node stays";
}

TEST(request_routing, lets_a_node_end_that_has_no_session_and_waits_for_nothing) {
  node a;
  a.asked(session_of(lost));
  EXPECT_FALSE(a.it.may_end());
  a.it.drains(true);
  a.it.drains(false);
  EXPECT_FALSE(a.it.may_end());
  a.found(session_of(lost), outcome::unavailable);
  EXPECT_TRUE(a.it.may_end());
  node b;
  b.it.drains(false);
  EXPECT_FALSE(b.it.may_end()) << "its sessions are still here";
}

} // namespace troupe::tests::request_routing_test
