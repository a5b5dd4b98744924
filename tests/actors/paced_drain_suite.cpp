// A node that hands over its sessions at a limited rate.

#define CAF_SUITE paced_drain

#include "actors/gateway/admin_listener.hpp"
#include "tests/support/restoring_node.hpp"

namespace troupe::tests::paced_drain_suite {

using namespace std::chrono_literals;

namespace {

struct draining_node : restoring_node {
  draining_node() : restoring_node{20} {}

  std::string answer_to(const std::string& method, const std::string& path) {
    actors::broker_actor admin_exchange = actors::spawn_direct<actors::admin_exchange_state>(
        at, std::make_unique<fake_exchange>("a", fake_exchange::request_text{method, path, {}, {}}, journal, hang_up));
    caf::anon_send(node, actors::admin_request{.what = {method, "/api/" + path}, .broker = std::move(admin_exchange)});
    run();
    std::string result;
    for (auto& one : seen())
      if (one.starts_with("a "))
        result += one.substr(2);
    return result.substr(0, result.find('\n'));
  }
  /// The `"drain":{...}` part of the node's description; empty without one.
  std::string progress() {
    auto text = answer_to("GET", "node");
    auto from = text.find("\"drain\":{\"rate\"");
    return from == text.npos ? "" : text.substr(from, text.find('}', from) + 1 - from);
  }
  static std::string progress_of(int to_move, int moved, int stay, int calls) {
    return R"("drain":{"rate":"1/s","to_move":)" + std::to_string(to_move) + R"(,"moved":)" + std::to_string(moved) +
           R"(,"stay":)" + std::to_string(stay) + R"(,"calls":)" + std::to_string(calls) + "}";
  }
  /// The store releases the sessions that were handed over.
  void lets_go() {
    for (auto& id : std::exchange(kept.handed_over, {}))
      caf::anon_send(node, actors::session_let_go{id});
    run();
  }
  std::string readyz() {
    request("r", {"GET", "/readyz", {}, {}});
    return seen().at(0);
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(paced_drain_tests, draining_node)

CAF_TEST(sessions leave one by one and then the program is told to end) {
  meets();
  lines ids{open(), open(), open()};
  CAF_CHECK_EQUAL(answer_to("POST", "drain?rate=1"), R"(200 {"draining":true,"rate":"1/s"})");
  CAF_CHECK_EQUAL(kept.handed_over, lines{ids[0]});
  lets_go();
  CAF_CHECK_EQUAL(progress(), progress_of(2, 1, 0, 0));
  pass(999ms);
  CAF_CHECK_EQUAL(kept.handed_over, lines{});
  pass(1ms);
  CAF_CHECK_EQUAL(kept.handed_over, lines{ids[1]});
  lets_go();
  pass(1000ms);
  CAF_CHECK_EQUAL(kept.handed_over, lines{ids[2]});
  CAF_CHECK_EQUAL(progress(), progress_of(1, 2, 0, 0));
  CAF_CHECK_EQUAL(ordered_to_end, 0);
  lets_go();
  pass(1000ms);
  CAF_CHECK_EQUAL(ordered_to_end, 1);
  CAF_CHECK(answer_to("DELETE", "drain").starts_with("409 "));
  pass(10s);
  CAF_CHECK(ordered_to_end > 1); // the host is asked again until it ends
}

CAF_TEST(a session with a call goes when that is over and is waited for) {
  meets();
  auto id = open();
  post("p", id, call);
  answer_to("POST", "drain?rate=1");
  pass(60s);
  CAF_CHECK_EQUAL(kept.handed_over, lines{});
  CAF_CHECK_EQUAL(progress(), progress_of(1, 0, 0, 1));
  CAF_CHECK_EQUAL(ordered_to_end, 0);
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(kept.handed_over, lines{id});
}

CAF_TEST(a node whose sessions leave at a rate takes no new ones until it stays after all) {
  meets();
  lines ids{open(), open()};
  answer_to("POST", "drain?rate=1/min");
  lets_go();
  CAF_CHECK(readyz().find(R"({"what":"gateway","why":"it is draining"})") != std::string::npos);
  post("i", "", client_hello());
  CAF_CHECK_EQUAL(sessions.size(), 2u); // the other node was queried
  seen();
  CAF_CHECK_EQUAL(answer_to("DELETE", "drain"), R"(200 {"draining":false})");
  CAF_CHECK_EQUAL(progress(), "");
  CAF_CHECK(readyz().starts_with("r 200"));
  pass(120s);
  CAF_CHECK_EQUAL(kept.handed_over, lines{});
  open();
  CAF_CHECK_EQUAL(sessions.size(), 3u);
  CAF_CHECK(answer_to("DELETE", "drain").starts_with("409 "));
}

CAF_TEST(no session is told to leave while no other node takes any) {
  meets();
  auto id = open();
  auto other = open();
  answer_to("POST", "drain?rate=1");
  lets_go();
  is_lost();
  pass(60s);
  CAF_CHECK_EQUAL(kept.handed_over, lines{});
  CAF_CHECK_EQUAL(progress(), progress_of(1, 1, 0, 0));
  meets();
  pass(1s);
  CAF_CHECK_EQUAL(kept.handed_over, lines{other});
}

CAF_TEST(sessions that wait for the tenure leave when they are this nodes again) {
  meets();
  auto id = open();
  loses_tenure();
  answer_to("POST", "drain?rate=1");
  pass(5s);
  CAF_CHECK_EQUAL(kept.handed_over, lines{});
  CAF_CHECK_EQUAL(progress(), progress_of(1, 0, 0, 0));
  has_tenure_again();
  pass(1s);
  CAF_CHECK_EQUAL(kept.handed_over, lines{});
  is_ours_again(id);
  pass(1s);
  CAF_CHECK_EQUAL(kept.handed_over, lines{id});
}

CAF_TEST(a drain without a rate lets all go that are left) {
  meets();
  lines ids{open(), open(), open()};
  answer_to("POST", "drain?rate=1/min");
  CAF_CHECK_EQUAL(kept.handed_over.size(), 1u);
  answer_to("POST", "drain");
  CAF_CHECK_EQUAL(ordered_to_end, 1);
  caf::anon_send(node, actors::drain{});
  run();
  CAF_CHECK_EQUAL(kept.handed_over.size(), 3u);
  CAF_CHECK_EQUAL(progress(), "");
  CAF_CHECK_EQUAL(answer_to("POST", "drain?rate=1"), R"(200 {"draining":true})");
  CAF_CHECK(answer_to("DELETE", "drain").starts_with("409 "));
}

CAF_TEST(sessions leave at another rate from the moment it is ordered) {
  meets();
  lines ids{open(), open(), open()};
  answer_to("POST", "drain?rate=1/min");
  CAF_CHECK_EQUAL(answer_to("POST", "drain?rate=1"), R"(200 {"draining":true,"rate":"1/s"})");
  CAF_CHECK_EQUAL(kept.handed_over, (lines{ids[0], ids[1]}));
  pass(1s);
  CAF_CHECK_EQUAL(kept.handed_over, (lines{ids[0], ids[1], ids[2]}));
}

CAF_TEST(a rate is refused where no session could leave) {
  open();
  CAF_CHECK(answer_to("POST", "drain?rate=1").ends_with("no other node of the cluster takes sessions now\"}"));
  CAF_CHECK(answer_to("POST", "drain?rate=0").starts_with("400 "));
  meets();
  takes_orders = false;
  CAF_CHECK(answer_to("POST", "drain?rate=1").starts_with("409 "));
  CAF_CHECK_EQUAL(ordered_to_end, 0);
  CAF_CHECK(answer_to("DELETE", "drain").ends_with("it does not drain\"}"));
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::paced_drain_suite
