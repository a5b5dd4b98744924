#define CAF_SUITE host_consent

#include "tests/support/world.hpp"

namespace troupe::tests::host_consent_suite {

namespace {

/// A gateway that asks its host before a session begins. It has room for one session.
struct asking_world : world {
  asking_world() : world{1, {}, true} {}

  void hello(const std::string& name, const std::string& path = "/mcp") { post(name, "", client_hello("1"), path); }
  /// Sends `tools/list` of 2026-07-28.
  void list_tools(const std::string& name) {
    fake_exchange::request_text said{"POST", "/mcp", {}, {}};
    said.body = R"({"jsonrpc":"2.0","id":")" + name + R"(","method":"tools/list","params":{)" +
                R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)" +
                R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
    said.fields = {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}};
    request(name, std::move(said));
  }
  static std::string refused(const std::string& id) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32600,"message":"not today"}})";
  }
  const protocol::rejection not_today = protocol::refusal(403, "not today");
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(host_consent_tests, asking_world)

CAF_TEST(a session begins when the host has agreed) {
  hello("a");
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_REQUIRE_EQUAL(asked_of_host.size(), 1u);
  CAF_CHECK_EQUAL(asked_of_host[0].server, "server");
  CAF_CHECK_EQUAL(asked_of_host[0].caller, "");
  CAF_CHECK(!asked_of_host[0].is_stateless);
  host_says(1);
  CAF_CHECK_EQUAL(seen(), lines{"server1 < " + client_hello("1")});
  CAF_CHECK_EQUAL(asked_of_host.size(), 1u);
}

CAF_TEST(who is refused hears why) {
  hello("a");
  host_says(1, not_today);
  CAF_CHECK_EQUAL(seen(), lines{"a 403 " + refused("1")});
  request("b", {"GET", "/sse", {}, {}});
  host_says(2, not_today);
  CAF_CHECK(seen().at(0).starts_with("b 403"));
}

CAF_TEST(others do not wait meanwhile) {
  hello("a");
  hello("b");
  host_says(2);
  CAF_CHECK_EQUAL(seen(), lines{"server1 < " + client_hello("1")});
  host_says(1);
  CAF_CHECK(seen().at(0).starts_with("a 503")); // the gateway has room for one session
}

CAF_TEST(the host is not asked of who is refused anyhow) {
  hello("a", "/servers/none/mcp");
  CAF_CHECK(seen().at(0).starts_with("a 404"));
  CAF_CHECK(asked_of_host.empty());
}

CAF_TEST(no session gives way to one that is refused) {
  hello("a");
  host_says(1);
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  pass(std::chrono::minutes{1});
  seen();
  hello("b");
  host_says(2, not_today);
  CAF_CHECK_EQUAL(seen(), lines{"b 403 " + refused("1")});
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(requests that share a lease need one word) {
  list_tools("a");
  list_tools("b");
  CAF_CHECK_EQUAL(asked_of_host.size(), 2u);
  CAF_CHECK(asked_of_host[0].is_stateless);
  host_says(1);
  host_says(2);
  list_tools("c");
  CAF_CHECK_EQUAL(asked_of_host.size(), 2u);
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a server may go while the host is asked) {
  hello("a");
  serve({server("one"), server("other")});
  host_says(1);
  CAF_CHECK(seen() != lines{}); // the session begins with the current servers
  hello("b", "/servers/one/mcp");
  serve({server("other")});
  host_says(2);
  CAF_CHECK(seen().at(0).starts_with("b 404"));
}

CAF_TEST(what waits for the host when the gateway stops may begin elsewhere) {
  hello("a");
  caf::anon_send(registry, actors::drain{});
  run();
  CAF_CHECK_EQUAL(seen(), lines{}); // the gateway waits for the host's consent
  host_says(1);
  CAF_CHECK(seen().at(0).starts_with("a 503"));
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::host_consent_suite
