// A draining node that is both the owner of sessions and the router of its clients' requests.

#define CAF_SUITE cluster_drain

#include "tests/support/two_nodes.hpp"

namespace troupe::tests::cluster_drain_suite {

namespace {

/// The draining node owns no sessions. Its clients are those of the other node.
struct stopping_node : two_nodes {
  void stops(actors::drain how = {}) {
    caf::anon_send(far_registry, std::move(how));
    run();
  }
  void hears(actors::relay_answer part) {
    part.exchange = 1;
    caf::anon_send(router, std::move(part));
    run();
  }
  /// Call 5 is answered by a stream on exchange 1.
  void begin_stream() {
    open();
    post_afar("a", call);
    hears({.is = actors::relay_answer::kind::begin});
    journal.clear();
  }
  void hears_event(const std::string& text) {
    hears({.is = actors::relay_answer::kind::event, .text = protocol::encode({.type = "message", .data = text})});
  }

  /// Links the nodes again while the owner drains too.
  void meet_again_draining() {
    caf::anon_send(router, actors::cluster_members{
                               {{{here, "here", 1, true}, caf::actor_cast<actors::gate_actor>(gate), {}}}, true});
    run();
  }

  const std::string initialize = client_hello();
  const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}})";
  const std::string note = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  const std::string result = R"({"jsonrpc":"2.0","id":5,"result":{}})";
  const std::string lost = failed("The node that ran the call was lost before it answered");
  const std::string cut_off = failed("The call was cut off: the gateway is stopping");

private:
  static std::string failed(const std::string& why) {
    return R"({"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":")" + why + "\"}}";
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(cluster_drain_tests, stopping_node)

CAF_TEST(a node that passes nothing on ends at once) {
  open();
  stops();
  CAF_CHECK(far_ended);
}

CAF_TEST(a node ends when the calls that it has passed on are answered) {
  open();
  post_afar("a", call);
  seen();
  stops();
  CAF_CHECK(!far_ended);
  post_afar("b", R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{}})");
  seen();
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{"a 200 " + result}));
  CAF_CHECK(!far_ended);
  server_says(1, R"({"jsonrpc":"2.0","id":3,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{R"(b 200 {"jsonrpc":"2.0","id":6,"result":{}})"}));
  CAF_CHECK(far_ended);
}

CAF_TEST(a node ends when those who await its answers have left or their node is lost) {
  open();
  post_afar("a", call);
  stops();
  leave("a");
  CAF_CHECK(far_ended);
}

CAF_TEST(a node ends when the node is lost that is to answer) {
  open();
  post_afar("a", call);
  stops();
  CAF_CHECK(!far_ended);
  lose_owner();
  CAF_CHECK(far_ended);
}

CAF_TEST(clients that listen through a node that stops are sent away at once and the session knows) {
  open();
  from_afar([&] { get("g", id); });
  post_afar("a", call);
  seen();
  stops();
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
  get("h", id);
  CAF_CHECK_EQUAL(seen(), (lines{"h streams"}));
  server_says(1, note);
  CAF_CHECK_EQUAL(seen(), (lines{"h < " + note}));
  CAF_CHECK(!far_ended);
}

CAF_TEST(a client that listens again through a node that stops does not hold its end) {
  open();
  post_afar("a", call);
  stops();
  from_afar([&] { get("g", id); });
  seen();
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{"a 200 " + result, "g ends"}));
  CAF_CHECK(far_ended);
}

CAF_TEST(a session that is asked for at a node that stops begins at one that does not) {
  open();
  post_afar("a", call);
  stops();
  seen();
  auto begun = next_id = test_ids().make({std::byte{9}}, here);
  from_afar([&] { post("i", "", initialize); });
  seen();
  server_says(2, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  CAF_CHECK_EQUAL(seen().at(0).find("i 200 opens " + begun), 0u);
}

CAF_TEST(a session that is asked for is refused when all nodes stop) {
  open();
  post_afar("a", call);
  stops();
  seen();
  meet_again_draining();
  from_afar([&] { post("i", "", initialize); });
  auto output = seen().at(0);
  CAF_CHECK_EQUAL(output.find("i 503 "), 0u);
  CAF_CHECK_NOT_EQUAL(output.find(R"("id":1)"), std::string::npos);
}

CAF_TEST(a session that is asked for at a node that has stopped may be asked for again) {
  open();
  stops();
  seen();
  from_afar([&] { post("i", "", initialize); });
  CAF_CHECK_EQUAL(seen().at(0).find("i 503 "), 0u);
}

CAF_TEST(calls that outlast the grace of the node that has passed them on fail there) {
  begin_stream();
  post_afar("b", R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{}})");
  seen();
  stops();
  CAF_CHECK_EQUAL(seen(), lines{});
  stops({actors::drain_step::at_once});
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 3u);
  CAF_CHECK_EQUAL(output[0], "a data: " + cut_off);
  CAF_CHECK_EQUAL(output[1], "a ends");
  CAF_CHECK_NOT_EQUAL(output[2].find(R"("id":6,"error":{"code":-32603)"), std::string::npos);
  CAF_CHECK(far_ended);
}

CAF_TEST(clients of the nodes own sessions are sent away from a stream and those of other nodes stay) {
  open();
  get("g", id);
  from_afar([&] { get("h", id); });
  seen();
  caf::anon_send(caf::actor_cast<actors::session_actor>(sessions.at(0)), actors::session_departs{});
  run();
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
  server_says(1, note);
  CAF_CHECK_EQUAL(seen(), (lines{"h < " + note}));
  post("p", id, call);
  CAF_CHECK_EQUAL(seen().size(), 1u);
}

// -- requests sent before a node was lost ---------------------------------------------------

CAF_TEST(a call whose answer was passed on is not failed when its node is lost before the end of the stream) {
  begin_stream();
  hears_event(note);
  hears_event(result);
  lose_owner();
  CAF_CHECK_EQUAL(seen(), (lines{"a < " + note, "a < " + result, "a ends"}));
}

CAF_TEST(a call whose stream has had everything but the answer is failed when its node is lost) {
  begin_stream();
  hears_event(note);
  lose_owner();
  CAF_CHECK_EQUAL(seen(), (lines{"a < " + note, "a data: " + lost, "a ends"}));
}

CAF_TEST(a call is failed when its session is gone without a word on a stream or without one) {
  begin_stream();
  hears({.is = actors::relay_answer::kind::lost});
  CAF_CHECK_EQUAL(seen(), (lines{"a data: " + lost, "a ends"}));
  post_afar("b", R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{}})");
  seen();
  caf::anon_send_exit(caf::actor_cast<actors::session_actor>(sessions.at(0)), caf::exit_reason::unhandled_exception);
  run();
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK_NOT_EQUAL(output[0].find(R"(b 200 {"jsonrpc":"2.0","id":6,"error":{"code":-32603)"), std::string::npos);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::cluster_drain_suite
