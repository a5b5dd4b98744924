// Routing of stateless requests (2026-07-28).

#include "protocol/cluster/request_routing.hpp"
#include "protocol/cluster/session_routes.hpp"
#include "protocol/rejection.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::lease_routing_test {

using namespace protocol;

namespace {

const node_life self{1, 1};
const node_life other{2, 7};
const node_life third{3, 1};
const node_life lost{4, 1};

sealed_session_ids ids() {
  return sealed_session_ids{[](std::string_view) { return std::vector{random_bytes{}}; }};
}
std::string lease_of(node_life owner) { return ids().make({}, owner); }
known_node member(node_life life, bool draining = false) { return {life, "x", 1, draining}; }
post_body call() { return std::get<post_body>(read_body(R"({"jsonrpc":"2.0","id":5,"method":"m"})")); }

/// A key that belongs to the node, and would belong to `next` without it.
std::string key_of(node_life whose, node_life next) {
  std::vector<node_life> all{self, other, third};
  auto rest = all;
  std::erase(rest, whose);
  for (int i = 0;; ++i)
    if (auto key = std::to_string(i); node_of_key(key, all) == whose && node_of_key(key, rest) == next)
      return key;
}

/// A node with two others.
struct node {
  explicit node(bool has_store = true) : it{ids(), self, has_store, 50} {
    it.members({member(other), member(third)}, true, {}, now, {lost});
  }
  request_route asked(const std::string& lease, request_source came = request_source::client) {
    return it.asked_of_lease(lease, call(), came, now);
  }
  request_route asked_by_key(const std::string& key) { return it.asked_by_key(key, "5"); }

  time_point now{std::chrono::hours{1}};
  request_routing it;
};

forwarded_exchange sent_by_key_to(node_life node, std::string key) {
  return {node, "", call(), false, transport::stateless, std::move(key)};
}

const request_route here = serve_here{};
const request_route refused = refuse_request{state_refused("5")};
request_route at(node_life one) { return forward_request{one}; }
request_route at_last(node_life one) { return forward_request{one, true}; }

} // namespace

// -- requests that resume a lease ------------------------------------------------------------

TEST(lease_routing, leads_a_retry_to_the_node_that_its_lease_names) {
  EXPECT_EQ(node{}.asked(lease_of(other)), at_last(other));
  EXPECT_EQ(node{false}.asked(lease_of(third)), at_last(third));
}

TEST(lease_routing, refuses_a_retry_whose_node_is_gone_whether_there_is_a_store_or_not) {
  for (auto has_store : {true, false})
    for (auto& lease : {lease_of(lost), lease_of(self), std::string{"nonsense"}})
      EXPECT_EQ(node{has_store}.asked(lease), refused);
}

TEST(lease_routing, waits_for_a_node_that_may_return) {
  for (auto has_store : {true, false}) {
    node a{has_store};
    EXPECT_EQ(a.asked(lease_of({9, 1})), request_route{await_nodes{}});
    a.now += std::chrono::seconds{2};
    EXPECT_EQ(a.asked(lease_of({9, 1})), refused);
  }
}

TEST(lease_routing, sends_no_retry_on_that_another_node_has_sent) {
  EXPECT_EQ(node{}.asked(lease_of(other), request_source::node), refused);
  EXPECT_EQ(node{}.asked(lease_of(other), request_source::leaving_node), refused);
}

TEST(lease_routing, lets_a_retry_wait_until_the_nodes_are_known) {
  node a;
  a.it.members({}, false, {}, a.now);
  EXPECT_EQ(a.asked(lease_of(other)), request_route{await_nodes{}});
}

TEST(lease_routing, leads_a_retry_to_a_node_that_drains) {
  node a;
  a.it.members({member(other, true)}, true, {}, a.now);
  EXPECT_EQ(a.asked(lease_of(other)), at_last(other));
}

TEST(lease_routing, tells_a_retry_that_went_to_a_node_which_has_left_that_its_state_is_no_more) {
  forwarded_exchange retry{other, lease_of(other), call(), false, transport::stateless};
  EXPECT_EQ(node{}.it.node_gone(retry, {}), state_refused("5"));
  forwarded_exchange of_session{other, lease_of(other), call(), false};
  EXPECT_EQ(node{}.it.node_gone(of_session, {}), owner_unknown());
  forwarded_exchange of_new{other, {}, call(), false};
  EXPECT_EQ(node{}.it.node_gone(of_new, {}), unavailable("the node chosen for the request has left", "5"));
}

// -- requests with a lease -------------------------------------------------------------------

TEST(lease_routing, places_a_key_at_its_node) {
  EXPECT_EQ(node{}.asked_by_key(key_of(self, other)), here);
  EXPECT_EQ(node{}.asked_by_key(key_of(other, self)), at(other));
  EXPECT_EQ(node{}.asked_by_key(key_of(third, self)), at(third));
}

TEST(lease_routing, places_no_key_at_a_node_that_drains_or_is_gone) {
  node a;
  a.it.members({member(other, true), member(third)}, true, {}, a.now);
  EXPECT_EQ(a.asked_by_key(key_of(other, third)), at(third));
  EXPECT_EQ(a.asked_by_key(key_of(other, self)), here);
  a.it.members({member(third)}, true, {}, a.now);
  EXPECT_EQ(a.asked_by_key(key_of(other, third)), at(third));
}

TEST(lease_routing, places_no_key_here_while_this_node_drains) {
  node a;
  a.it.drains(false);
  EXPECT_EQ(a.asked_by_key(key_of(self, other)), at(other));
  EXPECT_EQ(a.asked_by_key(key_of(other, self)), at(other));
  a.it.members({}, true, {}, a.now);
  EXPECT_EQ(a.asked_by_key("k"), request_route{refuse_request{gateway_stops("5")}});
}

TEST(lease_routing, places_keys_here_again_when_this_node_stays_after_all) {
  node a;
  a.it.opens(false);
  EXPECT_TRUE(a.it.is_draining());
  EXPECT_TRUE(a.it.has_open_node());
  EXPECT_EQ(a.asked_by_key(key_of(self, other)), at(other));
  a.it.opens(true);
  EXPECT_FALSE(a.it.is_draining());
  EXPECT_EQ(a.asked_by_key(key_of(self, other)), here);
  a.it.members({member(other, true)}, true, {}, a.now);
  EXPECT_FALSE(a.it.has_open_node()) << "it drains too";
}

TEST(lease_routing, lets_a_key_wait_until_the_nodes_are_known) {
  node a;
  a.it.members({}, false, {}, a.now);
  EXPECT_EQ(a.asked_by_key("k"), request_route{await_nodes{}});
  a.it.members({}, true, {}, a.now);
  EXPECT_EQ(a.asked_by_key("k"), here) << "there is no other";
}

TEST(lease_routing, asks_another_node_once_when_the_first_takes_nothing_new) {
  node a;
  auto key = key_of(other, third);
  for (auto& why : {gateway_stops("5"), owner_unknown()}) {
    EXPECT_EQ(a.it.refused(sent_by_key_to(other, key), why, true), after_refusal::ask_again);
    EXPECT_EQ(a.it.refused(sent_by_key_to(other, key), why, false), after_refusal::send_to_client) << "no copy is left";
  }
  EXPECT_EQ(a.it.refused(sent_by_key_to(other, key), refusal(400, "no"), true), after_refusal::send_to_client);
  EXPECT_EQ(a.it.asked_by_key(key, "5", other), at_last(third));
  EXPECT_EQ(a.it.asked_by_key(key_of(other, self), "5", other), here);
}

TEST(lease_routing, asks_no_other_node_for_a_session_when_one_stops) {
  forwarded_exchange of_session{other, lease_of(other), call(), false};
  EXPECT_EQ(node{}.it.refused(of_session, gateway_stops("5"), true), after_refusal::send_to_client);
}

} // namespace troupe::tests::lease_routing_test
