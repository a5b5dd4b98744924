// Requests of 2026-07-28 to two nodes in one deterministic actor system: which node answers, and what happens to
// pending calls when it is lost.

#define CAF_SUITE modern_cluster

#include "protocol/cluster/session_routes.hpp"
#include "protocol/modern_client/lease_key.hpp"
#include "tests/support/two_nodes.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

namespace troupe::tests::modern_cluster_suite {

namespace {

const std::string question =
    R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}})";
const std::string no_state =
    R"({"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"requestState is invalid or expired"}})";
const std::string lost =
    R"({"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"The node that ran the call was lost before it answered"}})";
const std::string cancelled =
    R"(server1 < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"The client closed its request"}})";
const std::string changed =
    R"(l < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}})";
const std::string done = R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})";
constexpr std::string_view capabilities = R"({"elicitation":{}})";

std::string initialized(int server = 1) {
  return "server" + std::to_string(server) + R"( < {"jsonrpc":"2.0","method":"notifications/initialized"})";
}
std::string called(int number, int server = 1) {
  return "server" + std::to_string(server) + R"( < {"jsonrpc":"2.0","id":)" + std::to_string(number) +
         R"(,"method":"tools/call","params":{"name":"t"}})";
}
std::string answered(const std::string& name, const std::string& id) {
  return name + R"( 200 {"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[],"resultType":"complete"}})";
}

/// The second node has servers and clients as well.
struct modern_nodes : two_nodes {
  modern_nodes() : two_nodes{[this](const server_options& options) { return server_setup(options); }} {
    auto one = server("server");
    one.affinity = affinity::header;
    caf::anon_send(far_registry, actors::configure{{one}});
    serve({one});
  }

  /// An affinity header whose callers share one process, which belongs to that node.
  static std::string handle_of(protocol::node_life node) {
    for (int i = 0;; ++i) {
      auto handle = std::to_string(i);
      auto key = protocol::shared_lease_key("", "", protocol::read_profile(capabilities), handle);
      if (protocol::node_of_key(key.text, {here, there}) == node)
        return handle;
    }
  }
  /// `params` are members of the parameters, each followed by a comma.
  static fake_exchange::request_text words_of(const std::string& handle, const std::string& method,
                                              const std::string& params, const std::string& id) {
    auto meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                R"("io.modelcontextprotocol/clientCapabilities":)" +
                std::string{capabilities} + "}";
    auto body = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params + meta + "}}";
    std::vector<std::pair<std::string, std::string>> fields{{"MCP-Protocol-Version", "2026-07-28"},
                                                            {"Mcp-Method", method}};
    if (method == "tools/call")
      fields.emplace_back("Mcp-Name", "t");
    if (!handle.empty())
      fields.emplace_back("Troupe-Affinity", handle);
    return {"POST", "/mcp", std::move(fields), body};
  }
  void ask(const std::string& name, const std::string& handle, const std::string& method, const std::string& params,
           const std::string& id) {
    request(name, words_of(handle, method, params, id));
  }
  /// `more` are additional members of the parameters.
  void call(const std::string& name, const std::string& handle, const std::string& more = {},
            const std::string& id = "5") {
    ask(name, handle, "tools/call", R"("name":"t",)" + more, id);
  }
  void call_afar(const std::string& name, const std::string& handle, const std::string& more = {},
                 const std::string& id = "5") {
    from_afar([&] { call(name, handle, more, id); });
  }
  /// Journal lines without the messages that announce leases to servers.
  lines outside_view() {
    auto result = seen();
    for (auto& line : result)
      if (line.find(R"("method":"initialize")") != std::string::npos)
        line.replace(line.find(' '), std::string::npos, " begins");
    return result;
  }
  void begins(const std::string& can, std::size_t server = 1) {
    server_says(server,
                R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":)" + can + "}}");
  }
  /// Calls a running server through the other node.
  void begin_afar(const std::string& name) {
    next_id = test_ids().make({std::byte{++last_id}}, here);
    call_afar(name, handle_of(here));
    seen();
    begins("{}");
  }
  /// Listens for changes of the tools through the other node.
  void listen_afar(const std::string& name) {
    from_afar([&] {
      ask(name, handle_of(here), "subscriptions/listen", R"("notifications":{"toolsListChanged":true},)", "7");
    });
    begins(R"({"tools":{"listChanged":true}})");
  }
  /// The request as the other node relays it.
  actors::relay_request relayed(const std::string& handle) {
    actors::relay_request result{.from = there, .exchange = ++last_exchange};
    result.body = {
        {protocol::gateway_message(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"t"}})")}};
    result.head.via = protocol::transport::stateless;
    protocol::request_envelope envelope{.version = "2026-07-28", .can = protocol::read_profile(capabilities)};
    envelope.affinity = handle;
    result.envelope = std::make_shared<const protocol::request_envelope>(std::move(envelope));
    return result;
  }
  void relay(const std::string& handle) {
    caf::anon_send(gate, relayed(handle));
    run();
  }
  /// The `requestState` in an answer.
  static std::string state_in(const std::string& answer) {
    constexpr std::string_view key = R"("requestState":")";
    auto at = answer.find(key);
    CAF_REQUIRE_NOT_EQUAL(at, std::string::npos);
    at += key.size();
    return answer.substr(at, answer.find('"', at) - at);
  }

  std::uint64_t last_exchange = 1000;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(modern_cluster_tests, modern_nodes)

CAF_TEST(a request that comes to another node is answered at the node of its key) {
  begin_afar("a");
  CAF_CHECK_EQUAL(outside_view(), (lines{initialized(), called(2)}));
  server_says(1, done);
  CAF_CHECK_EQUAL(outside_view(), (lines{answered("a", "5")}));
  call("b", handle_of(here));
  CAF_CHECK_EQUAL(outside_view(), (lines{called(3)}));
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a request stays at the node of its key) {
  call_afar("a", handle_of(there));
  CAF_CHECK_EQUAL(outside_view(), (lines{"server1 begins"}));
  lose_owner();
  CAF_CHECK_EQUAL(outside_view(), lines{});
}

CAF_TEST(a request without a key stays at the node that it comes to) {
  call_afar("a", "");
  CAF_CHECK_EQUAL(outside_view(), (lines{"server1 begins"}));
  lose_owner();
  CAF_CHECK_EQUAL(outside_view(), lines{});
}

CAF_TEST(a request that another node has passed on goes no further) {
  relay(handle_of(there));
  CAF_CHECK_EQUAL(outside_view(), (lines{"server1 begins"}));
}

CAF_TEST(what another node says of a request is not believed unless it is whole) {
  auto wrong = [this](auto change) {
    auto one = relayed(handle_of(here));
    change(one);
    caf::anon_send(gate, std::move(one));
    run();
    return outside_view();
  };
  CAF_CHECK_EQUAL(wrong([](auto& one) { one.envelope = nullptr; }), lines{});
  CAF_CHECK_EQUAL(wrong([](auto& one) { one.head.via = protocol::transport::streamable_http; }), lines{});
  CAF_CHECK_EQUAL(wrong([](auto& one) { one.body.batch = true; }), lines{});
  CAF_CHECK_EQUAL(wrong([](auto& one) { one.body.messages.push_back(one.body.messages.front()); }), lines{});
  CAF_CHECK_EQUAL(wrong([](auto& one) {
                    one.body.messages = {protocol::gateway_message(R"({"jsonrpc":"2.0","method":"tools/call"})")};
                  }),
                  lines{});
  CAF_CHECK_EQUAL(wrong([](auto&) {}), (lines{"server1 begins"}));
}

CAF_TEST(what a request says of its client is read by another node as it was written) {
  protocol::request_envelope whole{.version = "2026-07-28",
                                   .can = protocol::read_profile(R"({"elicitation":{"url":{}},"roots":{}})")};
  whole.log_level = protocol::severity::emergency;
  whole.arguments = {{"Region", "eu"}, {"region", ""}};
  whole.affinity = "handle";
  auto travels = [](std::shared_ptr<const protocol::request_envelope> what) {
    std::vector<char> bytes;
    actors::relay_request one{.head = {.counted_as = "whose"}, .envelope = std::move(what)};
    caf::binary_serializer to{nullptr, bytes};
    CAF_CHECK(!inspect(to, one));
    actors::relay_request read;
    caf::binary_deserializer from{nullptr, bytes};
    CAF_CHECK(!inspect(from, read));
    CAF_CHECK_EQUAL(read.head.counted_as, "whose");
    return read.envelope;
  };
  auto as_it_was = [&](const protocol::request_envelope& one) {
    auto read = travels(std::make_shared<const protocol::request_envelope>(one));
    return read && *read == one;
  };
  CAF_CHECK(as_it_was(whole));
  CAF_CHECK(as_it_was({.version = "v"}));
  CAF_CHECK(!travels(nullptr));
  whole.log_level = protocol::severity{8};
  CAF_CHECK(!travels(std::make_shared<const protocol::request_envelope>(whole)));
}

CAF_TEST(a request waits until the nodes are known) {
  meet(false);
  call_afar("a", handle_of(here));
  call_afar("b", handle_of(there));
  CAF_CHECK_EQUAL(outside_view(), lines{});
  meet();
  CAF_CHECK_EQUAL(outside_view(), (lines{"server1 begins", "server2 begins"}));
}

CAF_TEST(a client that goes away from another node cancels its call) {
  begin_afar("a");
  seen();
  leave("a");
  CAF_CHECK_EQUAL(outside_view(), (lines{"a hung up", cancelled}));
}

CAF_TEST(a request that another node passes on as its lease ends begins another) {
  begin_afar("a");
  server_says(1, done);
  seen();
  from_afar([&] { arrive("b", words_of(handle_of(here), "tools/call", R"("name":"t",)", "5")); });
  for (int i = 0; i != 3; ++i) // one message each for the registry and the router there, and for the gate
    sched.run_once();
  pass(std::chrono::minutes{5});
  CAF_CHECK_EQUAL(outside_view(), (lines{"server2 begins"}));
  begins("{}", 2);
  CAF_CHECK_EQUAL(outside_view(), (lines{initialized(2), called(2, 2)}));
  server_says(2, done);
  CAF_CHECK_EQUAL(outside_view(), (lines{answered("b", "5")}));
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(who listens by way of a node that drains is sent away at once) {
  listen_afar("l");
  seen();
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  CAF_CHECK_EQUAL(outside_view(), (lines{changed}));
  caf::anon_send(router, actors::node_drains{.is_last = true});
  run();
  CAF_CHECK_EQUAL(outside_view(), (lines{"l ends"}));
  CAF_CHECK(far_ended);
}

CAF_TEST(calls that await a node that is lost fail and the next begins anew) {
  begin_afar("a");
  seen();
  lose_owner();
  CAF_CHECK_EQUAL(outside_view(), (lines{"a 200 " + lost}));
  call_afar("b", handle_of(here));
  CAF_CHECK_EQUAL(outside_view(), (lines{"server2 begins"}));
}

CAF_TEST(a question that was asked by one node is answered at another while its node is there) {
  begin_afar("a");
  server_says(1, question);
  pass(std::chrono::milliseconds{50});
  auto answer = seen().back();
  auto retry = R"("inputResponses":{"q1":{"action":"decline"}},"requestState":")" + state_in(answer) + "\",";
  from_afar([&] { call("b", "", retry, "6"); });
  CAF_CHECK_EQUAL(outside_view(), (lines{R"(server1 < {"jsonrpc":"2.0","id":"q","result":{"action":"decline"}})"}));
  server_says(1, done);
  CAF_CHECK_EQUAL(outside_view(), (lines{answered("b", "6")}));
  lose_owner();
  call_afar("c", "", retry, "6");
  pass_afar(std::chrono::seconds{2});
  CAF_CHECK_EQUAL(outside_view(), (lines{"c 200 " + no_state}));
}

CAF_TEST(a node that drains gives its keys to the others) {
  caf::anon_send(router, actors::node_drains{});
  call_afar("a", handle_of(there));
  CAF_CHECK_EQUAL(outside_view(), (lines{"server1 begins"}));
  lose_owner();
  CAF_CHECK_EQUAL(outside_view(), (lines{"a 200 " + lost}));
}

CAF_TEST(a node that drains before others know it has them ask another) {
  open();
  post("c", id, R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}})");
  caf::anon_send(registry, actors::drain{});
  run();
  seen();
  call_afar("a", handle_of(here));
  CAF_CHECK_EQUAL(outside_view(), (lines{"server2 begins"}));
  lose_owner();
  CAF_CHECK_EQUAL(outside_view(), lines{});
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::modern_cluster_suite
