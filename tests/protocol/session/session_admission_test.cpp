// Sessions that may begin or be restored at a gateway, and those that keep a record.

#include "protocol/rejection.hpp"
#include "protocol/session/session_admission.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_admission_test {

namespace {

constexpr std::size_t most = 3;

/// A node with a store. It restores sessions of the server `a`, but not those of `b`.
struct node : session_admission {
  explicit node(std::size_t sessions = 0) : session_admission{{most, 1}, false} {
    for (std::size_t i = 0; i < sessions; ++i)
      places().acquire({});
    paths().serve({{"a", true}, {"b", false}});
    join_cluster(true);
  }
};

session_record left_at(std::string path) {
  return {.path = std::move(path), .initialize = hello("0"), .version = "2025-11-25", .initialized = true, .life = 3};
}

std::variant<session_record, rejection> restored(const node& at, const session_record& left, bool is_ours = true) {
  return at.restore(record_text(left), is_ours);
}

using decision = std::variant<session_record, rejection>;

} // namespace

// -- new sessions --------------------------------------------------------------------------

TEST(session_admission, lets_sessions_begin_where_there_is_a_server) {
  node n;
  for (auto path : {"", "a", "b"})
    EXPECT_EQ(n.refuse(path, "7"), std::nullopt);
  EXPECT_EQ(n.refuse("c", "7"), server_not_found());
}

TEST(session_admission, says_which_places_are_taken) {
  using expected = decltype(rejection::headers);
  auto full = node{most}.refuse_for_room({}, "7");
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(full.text, "Service Unavailable: too many sessions are in use; --max-sessions allows more");
  EXPECT_EQ(full.id, "7");
  EXPECT_EQ(full.headers, (expected{{"Retry-After", "5"}}));
  node n;
  n.places().acquire("client");
  auto own = n.refuse_for_room("client", "7");
  EXPECT_EQ(own.status, 429);
  EXPECT_EQ(own.text, "Too Many Requests: this client has limits.perAddress.sessions in use");
  EXPECT_EQ(own.id, "7");
  EXPECT_EQ(own.headers, (expected{{"Retry-After", "5"}}));
}

TEST(session_admission, lets_none_begin_when_the_gateway_stops) {
  node n;
  n.stopping().begin(false);
  EXPECT_EQ(n.refuse("a", "7"), gateway_stops("7"));
  EXPECT_EQ(n.refuse("c", "7"), server_not_found());
}

TEST(session_admission, keeps_records_of_sessions_whose_servers_are_all_restored) {
  node n;
  EXPECT_TRUE(n.keeps(transport::streamable_http, "a", true));
  EXPECT_FALSE(n.keeps(transport::streamable_http, "b", true));
  EXPECT_FALSE(n.keeps(transport::streamable_http, "", true));
  n.paths().serve({{"a", true}, {"c", true}});
  EXPECT_TRUE(n.keeps(transport::streamable_http, "", true));
}

TEST(session_admission, keeps_no_record_of_what_lives_with_its_connection) {
  EXPECT_FALSE(node{}.keeps(transport::http_sse, "a", true));
}

TEST(session_admission, keeps_no_record_while_another_node_could_take_it) {
  EXPECT_FALSE(node{}.keeps(transport::streamable_http, "a", false)) << "such as before a store has heard of the node";
}

TEST(session_admission, keeps_no_record_without_a_store) {
  node n;
  n.join_cluster(false);
  EXPECT_FALSE(n.keeps(transport::streamable_http, "a", true));
}

// -- sessions of an exited node ------------------------------------------------------------

TEST(session_admission, lets_sessions_go_on_from_their_record) {
  EXPECT_EQ(restored(node{most - 1}, left_at("a")), decision{left_at("a")});
}

TEST(session_admission, takes_a_session_that_can_never_be_restored_for_gone) {
  node n;
  EXPECT_EQ(n.restore("{}", true), decision{session_not_found()});
  EXPECT_EQ(restored(n, left_at("b")), decision{session_not_found()});
  EXPECT_EQ(restored(n, left_at("")), decision{session_not_found()});
  n.paths().serve({{"a", true}});
  EXPECT_EQ(restored(n, left_at("b")), decision{server_not_found()});
  n.stopping().begin(false);
  EXPECT_EQ(n.restore("{}", true), decision{session_not_found()});
}

TEST(session_admission, leaves_to_others_or_for_later_what_only_cannot_be_restored_now) {
  EXPECT_EQ(restored(node{}, left_at("a"), false), decision{session_moves()});
  EXPECT_EQ(restored(node{most}, left_at("a")), decision{node{most}.refuse_for_room({}, {})});
  node stops;
  stops.stopping().begin(false);
  EXPECT_EQ(restored(stops, left_at("a")), decision{gateway_stops()});
}

TEST(session_admission, tells_another_node_to_look_again_for_what_only_cannot_be_restored_now) {
  auto full = node{most}.refuse_for_room({}, {});
  EXPECT_EQ(refused_restore(full, request_source::client), full);
  for (auto came : {request_source::node, request_source::leaving_node}) {
    EXPECT_EQ(refused_restore(full, came), owner_unknown());
    EXPECT_EQ(refused_restore(session_not_found(), came), session_not_found());
  }
}

// -- the requests that a session accepts ---------------------------------------------------------

TEST(session_binding, takes_requests_of_its_own_transport_path_and_owner) {
  session_binding at{transport::streamable_http, "a", 1, "ann"};
  EXPECT_TRUE(at.accepts(transport::streamable_http, "a", "ann"));
  EXPECT_FALSE(at.accepts(transport::http_sse, "a", "ann"));
  EXPECT_FALSE(at.accepts(transport::streamable_http, "", "ann"));
  EXPECT_FALSE(at.accepts(transport::streamable_http, "b", "ann"));
  EXPECT_FALSE(at.accepts(transport::streamable_http, "a", "bob"));
  EXPECT_FALSE(at.accepts(transport::streamable_http, "a", ""));
}

TEST(session_binding, of_nobody_takes_no_request_of_somebody) {
  session_binding at{transport::streamable_http, "a", 1};
  EXPECT_TRUE(at.accepts(transport::streamable_http, "a", ""));
  EXPECT_FALSE(at.accepts(transport::streamable_http, "a", "ann"));
}

TEST(session_binding, lets_listeners_of_streamable_HTTP_move) {
  EXPECT_TRUE((session_binding{transport::streamable_http}.can_move_listeners()));
  EXPECT_FALSE((session_binding{transport::http_sse}.can_move_listeners()));
}

TEST(session_binding, is_that_of_merged_servers_without_one_of_its_own) {
  EXPECT_TRUE(session_binding{}.is_merged());
  EXPECT_FALSE((session_binding{.path = "a", .server = 1}.is_merged()));
}

} // namespace troupe::tests::session_admission_test
