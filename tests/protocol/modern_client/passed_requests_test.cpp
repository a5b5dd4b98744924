// Requests of 2026-07-28 pass the lease unchanged when the server speaks that revision.

#include "tests/support/server_as_modern_driver.hpp"

#include <algorithm>

namespace troupe::tests::passed_requests_test {

namespace {

const std::string capabilities = R"({"tools":{},"logging":{}})";

/// An adapter whose server has announced 2026-07-28.
struct passing_driver : server_as_modern_driver {
  explicit passing_driver(server_as_modern_rules rules = adapter_rules()) : server_as_modern_driver{std::move(rules)} {
    asks(1000, modern("1", "prompts/list"));
  }

  stateless_effects greets(bool is_modern = true) {
    auto greeting =
        gateway_message(result("\"face-1\"", R"({"protocolVersion":"2025-11-25","capabilities":)" + capabilities +
                                                 R"(,"serverInfo":{"name":"s","version":"1"}})"));
    greeting.claims_modern = is_modern;
    return seen([&](auto& out) { it.server_sent(std::move(greeting), now, out); });
  }
  passing_driver& opened() {
    greets();
    server(result("1000"));
    return *this;
  }
};

std::string state(const std::string& text) { return R"("requestState":")" + text + "\""; }

} // namespace

TEST(passed_request, waits_for_what_the_server_is) {
  passing_driver t;
  EXPECT_EQ(t.greets().back(), stateless_effect{asks_server(modern("1000", "prompts/list"))});
  passing_driver u;
  EXPECT_EQ(u.greets(false).back(), stateless_effect{asks_server(request("1000", "prompts/list"))});
}

TEST(passed_request, is_translated_where_each_has_a_process_of_its_own) {
  auto rules = adapter_rules();
  rules.passes = false;
  passing_driver t{std::move(rules)};
  EXPECT_EQ(t.greets().back(), stateless_effect{asks_server(request("1000", "prompts/list"))});
}

TEST(passed_request, keeps_all_but_its_id_and_progress_token) {
  passing_driver t;
  t.opened();
  auto odd = [](const std::string& id, const std::string& token) {
    return R"({ "x":1.50,"jsonrpc":"2.0","id":)" + id +
           R"(,"method":"prompts/get","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":)" +
           token + R"(},"task":{},"name":"p","inputResponses":{"a": 1},"requestState":"s"}})";
  };
  EXPECT_EQ(t.asks(5, odd("\"a\"", "\"p\"")), stateless_effects{asks_server(odd("5", "5"))});
  EXPECT_EQ(t.server(progress("5")), (stateless_effects{send_notification{5, progress("\"p\"")}}));
}

TEST(passed_request, is_answered_as_the_server_answers) {
  passing_driver t;
  t.opened();
  for (const std::string text :
       {R"({"resultType":"other", "x":1.50})", R"({"resultType":"input_required"})", R"({"x":"","resultType":1})"}) {
    t.asks(5, modern("7", "tools/list"));
    EXPECT_EQ(t.server(result("5", text)), stateless_effects{answered(5, result("7", text))});
  }
  t.asks(6, modern("8", "x"));
  EXPECT_EQ(t.server(failed("6", "no")), (stateless_effects{refused(6, "8", -32603, "no")}));
  EXPECT_TRUE(t.it.is_idle());
}

// 2026-07-28, "Results"
TEST(passed_request, is_complete_when_the_server_does_not_say) {
  passing_driver t;
  t.opened();
  auto expect_passed = [&](const std::string& from, const std::string& to) {
    t.asks(5, modern("7", "prompts/list"));
    EXPECT_EQ(t.server(R"({ "x":1.50,"result":)" + from + R"(,"id":5, "jsonrpc":"2.0"})"),
              stateless_effects{answered(5, R"({ "x":1.50,"result":)" + to + R"(,"id":7, "jsonrpc":"2.0"})")});
  };
  expect_passed("{}", R"({"resultType":"complete"})");
  expect_passed("{ }", R"({ "resultType":"complete"})");
  expect_passed(R"({ "a": 1.50, "b":{"resultType":"x"} })",
                R"({ "a": 1.50, "b":{"resultType":"x"} ,"resultType":"complete"})");
}

TEST(passed_request, fails_when_its_result_is_no_object) {
  passing_driver t;
  t.opened();
  for (const std::string text : {"null", "\"{}\"", "[]", "1", "true"}) {
    t.asks(5, modern("7", "prompts/list"));
    EXPECT_EQ(t.server(result("5", text)),
              (stateless_effects{refused(5, "7", -32603, "The MCP server gave a result that is no object")}));
  }
}

TEST(passed_request, fails_when_the_server_refuses_what_the_gateway_has_to_get_right) {
  passing_driver t;
  t.opened();
  auto answer = [&](const std::string& error) {
    t.asks(5, modern("7", "prompts/list"));
    return t.server(R"({"jsonrpc":"2.0","id":5,"error":)" + error + "}");
  };
  for (const std::string code : {"-32020", "-32022"})
    EXPECT_EQ(answer(R"({"code":)" + code + R"(,"message":"m"})"),
              (stateless_effects{refused(5, "7", -32603, "The MCP server did not understand the gateway: m")}));
  const std::string has = R"({"code":-32021,"message":"m","data":{"requiredCapabilities":{"roots":{}}}})";
  EXPECT_EQ(answer(has),
            (stateless_effects{
                refused(5, "7", -32603,
                        R"(The MCP server refused the client for the lack of what it is capable of: {"roots":{}})")}));
  const std::string lacks = R"({"code":-32021,"message":"m", "data":{"requiredCapabilities":{"roots":{},"x/y":{}}}})";
  EXPECT_EQ(answer(lacks),
            (stateless_effects{answered(5, R"({"jsonrpc":"2.0","id":7,"error":)" + lacks + "}", -32021)}));
}

TEST(passed_request, may_be_a_retry_with_a_state_of_the_server) {
  passing_driver t;
  auto retry = modern("8", "prompts/get", state("of the server"));
  EXPECT_EQ(t.asks(6, retry), stateless_effects{});
  auto both = t.greets();
  EXPECT_EQ(both.back(), stateless_effect{asks_server(modern("6", "prompts/get", state("of the server")))});
  EXPECT_EQ(t.asks(7, retry), stateless_effects{asks_server(modern("7", "prompts/get", state("of the server")))});
}

TEST(passed_request, is_refused_with_such_a_state_by_a_server_with_sessions) {
  passing_driver t;
  t.asks(6, modern("8", "prompts/get", state("of nobody")));
  auto seen_then = t.greets(false);
  EXPECT_NE(
      std::find(seen_then.begin(), seen_then.end(), stateless_effect{refused(6, "8", -32602, state_refused({}).text)}),
      seen_then.end());
}

TEST(passed_request, is_cancelled_at_the_server_when_its_client_goes) {
  passing_driver t;
  t.opened();
  t.asks(5, modern("7", "x"));
  EXPECT_EQ(t.closes(5), stateless_effects{asks_server(cancellation_of("5", "The client closed its request").text)});
}

TEST(passed_request, may_ask_what_the_server_is) {
  passing_driver t;
  t.opened();
  EXPECT_EQ(t.asks(5, modern("7", "server/discover")), stateless_effects{asks_server(modern("5", "server/discover"))});
  EXPECT_EQ(
      t.server(result("5", R"({"resultType":"complete","supportedVersions":["2027-01-01", "2026-07-28"]})")),
      stateless_effects{answered(5, result("7", R"({"resultType":"complete","supportedVersions":["2026-07-28"]})"))});
}

TEST(passed_request, may_be_of_an_extension_but_not_of_the_session_era) {
  passing_driver t;
  t.opened();
  EXPECT_EQ(t.asks(5, modern("7", "tasks/get")), stateless_effects{asks_server(modern("5", "tasks/get"))});
  EXPECT_EQ(t.asks(6, modern("8", "logging/setLevel")),
            (stateless_effects{refused(6, "8", -32601, "Method not found")}));
}

TEST(passed_request, fails_when_the_server_is_lost_and_the_next_asks_anew) {
  passing_driver t;
  t.opened();
  t.asks(5, modern("7", "x"));
  EXPECT_EQ(t.lost(), (stateless_effects{lost_with_server(5, "7")}));
  EXPECT_EQ(t.asks(6, modern("8", "x")).size(), 1u);
  EXPECT_EQ(t.server(result("\"face-2\"", R"({"protocolVersion":"2025-11-25","capabilities":{}})")).back(),
            stateless_effect{asks_server(request("6", "x"))});
}

} // namespace troupe::tests::passed_requests_test
