#define CAF_SUITE lease

#include "protocol/message/client_profile.hpp"
#include "protocol/modern_client/lease_key.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/json.hpp"
#include "tests/support/world.hpp"

#include <algorithm>

namespace troupe::tests::lease_suite {

using namespace std::chrono_literals;

namespace {

/// A fake other process of a handover, which writes received requests to the journal.
struct fake_other_state {
  using interface = actors::handover_peer_actor;
  static constexpr const char* name = "fake_other";

  fake_other_state(actors::pinned<interface>*, lines& journal) : journal_{journal} {}
  interface::behavior_type make_behavior() {
    return {
        [](actors::relay_answer&) {},
        [this](actors::client_post& msg) {
          auto& asked = msg.body.messages.front();
          journal_.push_back("other < " + asked.id + " " + asked.method);
        },
        [](actors::client_listen&) {},
        [](actors::client_delete&) {},
        [](actors::node_drains&) {},
        [](actors::tick&) {},
        [](actors::process_sign&) {},
    };
  }

  lines& journal_;
};

/// A gateway with one server, used by 2026-07-28 clients.
struct stateless_world : world {
  void another_process_takes_over() {
    actors::handover_peer_actor other =
        sys.spawn<actors::actor_of<fake_other_state>>(std::ref(static_cast<actors::unit&>(at)), std::ref(journal));
    caf::anon_send(registry, actors::handover_peer_known{std::move(other), true});
    run();
  }
  static fake_exchange::request_text words_of(const std::string& name, const std::string& method,
                                              const std::string& more = "", const std::string& handle = "") {
    fake_exchange::request_text said{"POST", "/mcp", {}, {}};
    said.body = R"({"jsonrpc":"2.0","id":")" + name + R"(","method":")" + method + R"(","params":{)" + more +
                R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)" +
                R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}})";
    said.fields = {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
    if (!handle.empty())
      said.fields.emplace_back("Troupe-Affinity", handle);
    if (more.starts_with(R"("name":"x")"))
      said.fields.emplace_back("Mcp-Name", "x");
    return said;
  }
  void ask(const std::string& name, const std::string& method, const std::string& more = "",
           const std::string& handle = "") {
    request(name, words_of(name, method, more, handle));
  }
  /// The latest server answers `initialize`.
  void server_begins() {
    server_says(upstreams.size(),
                R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}}}})");
  }
  /// Sends a request that stays in flight at the first server, and returns its id there.
  void open(const std::string& name, const std::string& method, const std::string& more = "") {
    ask(name, method, more);
    server_begins();
    seen();
  }
  void has_affinity(troupe::affinity is) {
    auto one = server("server");
    one.affinity = is;
    serve({one});
  }
  std::string first_seen() { return seen().front(); }
  std::string state() {
    auto text = seen().back();
    return *troupe::protocol::string_value(
        *troupe::protocol::find_member(text.substr(text.find('{')), {"result", "requestState"}));
  }
};

std::string refused(const std::string& name) {
  return name + R"( 200 {"jsonrpc":"2.0","id":")" + name +
         R"(","error":{"code":-32602,"message":"requestState is invalid or expired"}})";
}

std::string prompts(const std::string& id) { return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"prompts":[]}})"; }

} // namespace

CAF_TEST_FIXTURE_SCOPE(lease_tests, stateless_world)

CAF_TEST(requests of one caller meet one server) {
  open("a", "prompts/list");
  ask("b", "prompts/list");
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK_EQUAL(seen().size(), 1u);
  server_says(1, prompts("3"));
  server_says(1, prompts("2"));
  auto all = seen();
  CAF_REQUIRE_EQUAL(all.size(), 2u);
  CAF_CHECK_EQUAL(all[0].substr(0, 6), "b 200 ");
  CAF_CHECK_EQUAL(all[1].substr(0, 6), "a 200 ");
  pass(5min - 1ms);
  CAF_CHECK_EQUAL(servers, 1);
  pass(1ms);
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK_EQUAL(at.reminders(), 0u);
}

CAF_TEST(a request that comes as its lease ends meets another) {
  open("a", "prompts/list");
  server_says(1, prompts("2"));
  at.advance(5min);
  arrive("b", words_of("b", "prompts/list"));
  run();
  CAF_CHECK_EQUAL(servers, 1);
  server_begins();
  seen();
  server_says(2, prompts("2"));
  CAF_CHECK_EQUAL(seen().front().substr(0, 6), "b 200 ");
}

CAF_TEST(a retry that comes as its lease ends is refused) {
  has_affinity(troupe::affinity::none);
  open("a", "prompts/get", R"("name":"x",)");
  server_says(1, R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  pass(50ms);
  auto more = R"("name":"x","requestState":")" + state() + R"(","inputResponses":{"q1":{"roots":[]}},)";
  at.advance(10min);
  arrive("b", words_of("b", "prompts/get", more));
  run();
  // The order of these effects of the lease and its server does not matter.
  auto all = seen();
  std::ranges::sort(all);
  CAF_CHECK_EQUAL(
      all,
      (lines{
          R"(b 200 {"jsonrpc":"2.0","id":"b","error":{"code":-32602,"message":"requestState is invalid or expired"}})",
          R"(server1 < {"jsonrpc":"2.0","id":"q","error":{"code":-32603,"message":"The client did not answer in time"}})",
          R"(server1 < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"The client did not come back with its answers in time"}})"}));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(requests that begin after a handover go to the new process and a subscription ends) {
  open("a", "subscriptions/listen", R"("notifications":{"resourceSubscriptions":[]},)");
  another_process_takes_over();
  auto all = seen();
  CAF_REQUIRE(!all.empty());
  auto ends = [](auto& line) { return line.starts_with("a ") && line.find(R"("resultType":"complete")") != line.npos; };
  CAF_CHECK_EQUAL(std::ranges::count_if(all, ends), 1);
  CAF_CHECK_EQUAL(servers, 0);
  ask("b", "subscriptions/listen", R"("notifications":{},)");
  CAF_CHECK_EQUAL(first_seen(), R"(other < "b" subscriptions/listen)");
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a session of 2024 - 11 - 05 begins at the process that has taken over) {
  another_process_takes_over();
  request("a", {"GET", "/servers/server/sse?x", {}, {}});
  CAF_CHECK_EQUAL(first_seen().substr(0, 6), "a 307 ");
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(calls in flight go on when another process takes over) {
  open("a", "prompts/list");
  another_process_takes_over();
  ask("b", "prompts/list");
  CAF_CHECK_EQUAL(first_seen(), R"(other < "b" prompts/list)");
  server_says(1, prompts("2"));
  CAF_CHECK_EQUAL(seen().front().substr(0, 6), "a 200 ");
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a parked call is resumed here after another process has taken over) {
  open("a", "prompts/get", R"("name":"x",)");
  server_says(1, R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  pass(50ms);
  auto more = R"("name":"x","requestState":")" + state() + R"(","inputResponses":{"q1":{"roots":[]}},)";
  another_process_takes_over();
  CAF_CHECK_EQUAL(servers, 1);
  ask("b", "prompts/get", more);
  CAF_CHECK_EQUAL(seen(), (lines{R"(server1 < {"jsonrpc":"2.0","id":"q","result":{"roots":[]}})"}));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{"messages":[]}})");
  CAF_CHECK_EQUAL(seen().front().substr(0, 6), "b 200 ");
  CAF_CHECK_EQUAL(servers, 0);
}

// 2026-07-28, transports, "Cancellation"
CAF_TEST(closing the response cancels at the server) {
  open("a", "prompts/list");
  leave("a");
  CAF_CHECK_EQUAL(
      seen(),
      (lines{
          "a hung up",
          R"(server1 < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"The client closed its request"}})"}));
}

CAF_TEST(each handle meets its own server where servers go by handles) {
  has_affinity(troupe::affinity::header);
  ask("a", "prompts/list", "", "one");
  ask("b", "prompts/list", "", "two");
  ask("c", "prompts/list", "", "one");
  CAF_CHECK_EQUAL(servers, 2);
}

CAF_TEST(a handle does not matter where servers do not go by it) {
  ask("a", "prompts/list", "", "one");
  ask("b", "prompts/list", "", "two");
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(without affinity each request has a server of its own that goes with its answer) {
  has_affinity(troupe::affinity::none);
  open("a", "prompts/list");
  ask("b", "prompts/list");
  CAF_CHECK_EQUAL(servers, 2);
  server_says(1, prompts("2"));
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a retry goes on with its call where each request has a server of its own) {
  has_affinity(troupe::affinity::none);
  open("a", "prompts/get", R"("name":"x",)");
  server_says(1, R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  CAF_CHECK_EQUAL(seen(), lines{});
  pass(50ms);
  auto more = R"("name":"x","requestState":")" + state() + R"(","inputResponses":{"q1":{"roots":[]}},)";
  ask("b", "prompts/get", more);
  CAF_CHECK_EQUAL(seen(), (lines{R"(server1 < {"jsonrpc":"2.0","id":"q","result":{"roots":[]}})"}));
  ask("c", "prompts/get", more);
  CAF_CHECK_EQUAL(
      seen(),
      (lines{
          R"(c 200 {"jsonrpc":"2.0","id":"c","error":{"code":-32602,"message":"requestState is invalid or expired"}})"}));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{"messages":[]}})");
  CAF_CHECK_EQUAL(seen().front().substr(0, 6), "b 200 ");
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(strangers and callers of this machine have no names and yet no calls in common) {
  open("a", "prompts/get", R"("name":"x",)");
  server_says(1, R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  pass(50ms);
  auto more = R"("name":"x","requestState":")" + state() + R"(","inputResponses":{"q1":{"roots":[]}},)";
  peer = "10.0.0.1";
  ask("b", "prompts/get", more);
  CAF_CHECK_EQUAL(seen(), lines{refused("b")});
  peer = "127.0.0.1";
  ask("c", "prompts/get", more);
  CAF_CHECK_EQUAL(seen(), lines{R"(server1 < {"jsonrpc":"2.0","id":"q","result":{"roots":[]}})"});
}

CAF_TEST(a lease is not found by its key where a client names an id) {
  open("a", "prompts/list");
  server_says(1, prompts("2"));
  seen();
  const auto key = protocol::shared_lease_key("", "\nlocal", protocol::read_profile(R"({"roots":{}})"));
  const auto more =
      R"("name":"x","requestState":")" + protocol::base64url(key.text) + R"(.1.1.x","inputResponses":{},)";
  CAF_CHECK(at.sessions().find(key, protocol::transport::stateless, "", "") != nullptr);
  CAF_CHECK(at.sessions().find(key.text, protocol::transport::stateless, "", "") == nullptr);
  peer = "127.0.0.1";
  ask("b", "prompts/get", more);
  CAF_CHECK_EQUAL(seen(), lines{refused("b")});
  peer = "10.0.0.1";
  ask("c", "prompts/get", more);
  CAF_CHECK_EQUAL(seen().front().substr(0, 10), "server2 < "); // an unauthenticated client has a lease of its own
}

CAF_TEST(a lost server fails what is under way and is there for the next request) {
  open("a", "prompts/list");
  server_dies(1);
  auto all = seen();
  CAF_REQUIRE(!all.empty());
  CAF_CHECK(all.front().find("-32603") != std::string::npos);
  ask("b", "prompts/list");
  pass(1s);
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a gateway that stops answers what is under way and begins nothing) {
  open("a", "prompts/list");
  caf::anon_send(registry, troupe::actors::drain{});
  run();
  ask("b", "prompts/list");
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "b 503");
  server_says(1, prompts("2"));
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "a 200");
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(leases take the places of sessions) {
  has_affinity(troupe::affinity::header);
  for (int i = 0; i != 10; ++i)
    ask("a", "prompts/list", "", std::to_string(i));
  CAF_CHECK_EQUAL(servers, 10);
  seen();
  ask("b", "prompts/list", "", "10");
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "b 503");
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::lease_suite
