// A 2026-07-28 server as a client of that revision sees it through a session-based upstream, as on the merged endpoint.

#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::stateless_server_of_lease_test {

namespace {

std::string complete(std::string id, std::string members) {
  return result(std::move(id), R"({"resultType":"complete")" + members + "}");
}

/// An initialized client of that kind.
struct lease_driver : server_as_legacy_driver {
  lease_driver() {
    auto initialize = gateway_message(hello("0"));
    initialize.claims_modern = true;
    it.user_sent(initialize, now);
    server(discovered());
  }
};

bool is_marked(const adapter_effects& shown) { return std::get<deliver_to_user>(shown.front()).what.claims_modern; }

} // namespace

TEST(stateless_server, tells_such_a_client_how_long_and_for_whom_a_result_may_be_kept) {
  const std::string hints = R"("ttlMs":5,"cacheScope":"public")";
  lease_driver t;
  t.user(request("9", "tools/list"));
  auto shown = t.server(complete("1", R"(,"tools":[{"outputSchema":{"type":"array"}}],)" + hints));
  EXPECT_EQ(shown,
            adapter_effects{shows_user(result("9", R"({"tools":[{"outputSchema":{"type":"array"}}],)" + hints + "}"))});
  EXPECT_TRUE(is_marked(shown));

  server_as_legacy_driver session;
  session.opened();
  session.user(request("9", "resources/read"));
  shown = session.server(complete("1", "," + hints));
  EXPECT_EQ(shown, adapter_effects{shows_user(result("9"))});
  EXPECT_FALSE(is_marked(shown));
}

TEST(stateless_server, tells_such_a_client_what_it_lacks_as_the_server_says_it) {
  const std::string lacks =
      R"({"code":-32021,"message":"m","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}})";
  lease_driver t;
  t.user(request("9", "tools/call", R"({"name":"x"})"));
  auto shown = t.server(R"({"jsonrpc":"2.0","id":1,"error":)" + lacks + "}");
  EXPECT_EQ(shown, adapter_effects{shows_user(R"({"jsonrpc":"2.0","id":9,"error":)" + lacks + "}")});
  EXPECT_TRUE(is_marked(shown));
}

TEST(stateless_server, tells_such_a_client_of_no_lack_of_what_it_has) {
  const std::string lacks = R"({"code":-32021,"message":"m","data":{"requiredCapabilities":{"roots":{}}}})";
  for (auto is_modern : {true, false}) {
    server_as_legacy_driver t;
    auto initialize = gateway_message(hello("0"));
    initialize.claims_modern = is_modern;
    t.it.user_sent(initialize, t.now);
    t.server(discovered());
    t.user(request("9", "tools/call", R"({"name":"x"})"));
    EXPECT_EQ(t.server(R"({"jsonrpc":"2.0","id":1,"error":)" + lacks + "}"),
              adapter_effects{shows_user(failed(
                  "9", R"(The MCP server refused the client for the lack of what it is capable of: {"roots":{}})"))});
  }
}

} // namespace troupe::tests::stateless_server_of_lease_test
