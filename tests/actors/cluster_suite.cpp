// Two nodes in one deterministic actor system: requests that they pass on, and what happens when a node is lost.

#define CAF_SUITE cluster

#include "tests/support/two_nodes.hpp"

namespace troupe::tests::cluster_suite {

using namespace std::chrono_literals;

namespace {

const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}})";
const std::string result_of_2 = R"({"jsonrpc":"2.0","id":2,"result":{}})";
const std::string gone =
    R"(404 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found: it ended, or never was; start again with initialize"}})";
const std::string lost =
    R"({"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"The node that ran the call was lost before it answered"}})";

/// The node that owns the sessions leaves.
struct leaving_node : two_nodes {
  leaving_node() {
    gate->attach_functor([end = ended](const caf::error&) { *end = true; });
  }
  void goes() {
    caf::anon_send(caf::actor_cast<caf::actor>(gate),
                   caf::exit_msg{owner_cluster.address(), caf::exit_reason::user_shutdown});
    run();
  }
  bool has_gone() const { return *ended; }
  /// The cluster metrics of the other node.
  std::int64_t unready() { return elsewhere.metrics()->number(protocol::metric::unready, {"cluster"}).value(); }

private:
  /// Shared because the gate may outlive this object.
  std::shared_ptr<bool> ended = std::make_shared<bool>(false);
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(cluster_tests, leaving_node)

CAF_TEST(a call that comes to another node is answered there by the owner of the session) {
  open();
  post_afar("a", call);
  CAF_CHECK_EQUAL(seen(), (lines{R"(server1 < {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}})"}));
  server_says(1, result_of_2);
  CAF_CHECK_EQUAL(seen(), (lines{R"(a 200 {"jsonrpc":"2.0","id":5,"result":{}})"}));
}

CAF_TEST(a stream on another node carries the events of the session) {
  open();
  from_afar([&] { get("g", id); });
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.empty(), false);
  CAF_CHECK_NOT_EQUAL(output.back().find("list_changed"), std::string::npos);
  leave("g");
  seen();
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  CAF_CHECK_EQUAL(seen(), lines{});
}

CAF_TEST(a call on another node can have a whole stream at once) {
  open();
  post_afar("a", R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}})");
  seen();
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}})",
              {result_of_2});
  CAF_CHECK_EQUAL(
      seen(),
      (lines{"a streams",
             R"(a < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}})",
             R"(a < {"jsonrpc":"2.0","id":5,"result":{}})", "a ends"}));
}

CAF_TEST(a session that is ended on another node is gone on both) {
  open();
  from_afar([&] { end("d", id); });
  post_afar("a", call);
  post("b", id, call);
  CAF_CHECK_EQUAL(seen(), (lines{"d 200", "a " + gone, "b " + gone}));
}

CAF_TEST(a call that arrives as its session ends has not run and does not fail as lost) {
  for (auto is_afar : {true, false}) {
    open();
    auto ask = [&] {
      arrive("d", {"DELETE", "/mcp", {{"Mcp-Session-Id", id}}, {}});
      arrive("a", {"POST", "/mcp", {{"Mcp-Session-Id", id}}, call});
      arrive("g", {"GET", "/mcp", {{"Mcp-Session-Id", id}}, {}});
    };
    is_afar ? from_afar(ask) : ask();
    run();
    CAF_CHECK_EQUAL(seen(), (lines{"d 200", "a " + gone, "g " + gone}));
  }
}

CAF_TEST(calls that await a node that is lost fail at once and later ones wait for its return) {
  open();
  post_afar("a", call);
  seen();
  lose_owner();
  CAF_CHECK_EQUAL(seen(), (lines{"a 200 " + lost}));
  post_afar("b", call);
  CAF_CHECK_EQUAL(seen(), lines{});
  pass_afar(std::chrono::seconds{2});
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK_EQUAL(output[0].substr(0, 6), "b 503 ");
}

CAF_TEST(the gate of a node that goes stays until the calls that came through it are answered) {
  open();
  post_afar("a", call);
  goes();
  CAF_CHECK(!has_gone());
  server_says(1, result_of_2);
  CAF_CHECK_EQUAL(std::string{seen().back()}, R"(a 200 {"jsonrpc":"2.0","id":5,"result":{}})");
  CAF_CHECK(has_gone());
}

CAF_TEST(the gate of a node that goes does not stay for a client that has left) {
  open();
  post_afar("a", call);
  goes();
  CAF_CHECK(!has_gone());
  leave("a");
  CAF_CHECK(has_gone());
}

CAF_TEST(the gate of a node that goes ends at once when it is told again) {
  open();
  post_afar("a", call);
  goes();
  CAF_CHECK(!has_gone());
  goes();
  CAF_CHECK(has_gone());
}

CAF_TEST(streams that await a node that is lost end) {
  open();
  from_afar([&] { get("g", id); });
  seen();
  lose_owner();
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
}

/// The node may have been silent only, and still read the answer. A 503 would have the client repeat a call that ran.
CAF_TEST(clients of a node that is lost are lost to the session and their calls fail) {
  open();
  post_afar("a", call);
  seen();
  lose_client_side();
  CAF_CHECK_EQUAL(seen(), (lines{"a 200 " + lost}));
  server_says(1, result_of_2);
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a client that leaves another node leaves the session) {
  open();
  from_afar([&] { get("g", id); });
  leave("g");
  seen();
  from_afar([&] { get("h", id); });
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.empty(), false);
  CAF_CHECK_EQUAL(output.back().substr(0, 2), "h ");
}

CAF_TEST(a node that does not know the others yet is not ready and lets their sessions wait) {
  auto unknown = test_ids().make({}, {3, 1});
  meet(false);
  id = unknown;
  post_afar("a", call);
  from_afar([&] { request("r", {"GET", "/readyz", {}, {}}); });
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK_EQUAL(output[0].substr(0, 6), "r 503 ");
  CAF_CHECK(output[0].find(R"("reasons":[{"what":"cluster","why":"this node looks for the others"}])") !=
            std::string::npos);
  CAF_CHECK_EQUAL(unready(), 1);
  meet(true);
  CAF_CHECK_EQUAL(unready(), 0);
  from_afar([&] { request("s", {"GET", "/readyz", {}, {}}); });
  output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK_EQUAL(output[0].substr(0, 6), "s 200 ");
  pass_afar(std::chrono::seconds{2});
  output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK_EQUAL(output[0].substr(0, 6), "a 503 ");
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::cluster_suite
