#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::server_as_modern_test {

namespace {

const std::string everything = R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})";

std::string our_hello(const std::string& id, const std::string& capabilities = everything) {
  return request("\"" + id + "\"", "initialize",
                 R"({"protocolVersion":"2025-11-25","capabilities":)" + capabilities +
                     R"(,"clientInfo":{"name":"troupe","version":"1.0"}})");
}

std::string server_greets(const std::string& id, const std::string& more = "") {
  return result("\"" + id + "\"", R"({"protocolVersion":"2025-06-18","capabilities":{"prompts":{},"tasks":{},)"
                                  R"("experimental":{"x":1}},"serverInfo":{"name":"s","version":"1"})" +
                                      more + "}");
}

const std::string we_are_ready = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

const std::string why_refused = "The MCP server cannot be used: it refused to initialize: no";

std::string is_refused(const std::string& id) { return failed("\"" + id + "\"", "no"); }

std::string listen_to(const std::string& id, const std::string& uri, const std::string& other = "") {
  auto uris = troupe::protocol::quoted(uri) + (other.empty() ? "" : "," + troupe::protocol::quoted(other));
  return modern(id, "subscriptions/listen", R"("notifications":{"resourceSubscriptions":[)" + uris + "]}");
}

send_response ends_listen(exchange_id exchange, const std::string& id) {
  return answered(
      exchange,
      result(id, R"({"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":)" + id + "}}"));
}

server_as_modern_rules with_calls(std::size_t calls) {
  auto rules = adapter_rules();
  rules.calls = calls;
  return rules;
}

server_as_modern_rules with_bytes(std::size_t bytes) {
  auto rules = adapter_rules();
  rules.waiting_bytes = bytes;
  return rules;
}

} // namespace

// -- the start -------------------------------------------------------------------------

TEST(server_as_modern, initializes_the_server_when_the_first_request_needs_it) {
  server_as_modern_driver t;
  EXPECT_EQ(t.asks(1, modern("\"a\"", "m")), stateless_effects{asks_server(our_hello("face-1"))});
  EXPECT_EQ(t.asks(2, modern("7", "n")), stateless_effects{});
  EXPECT_EQ(t.it.calls_in_flight(), 2u);
  EXPECT_EQ(
      t.server(server_greets("face-1")),
      (stateless_effects{asks_server(we_are_ready), asks_server(request("1", "m")), asks_server(request("2", "n"))}));
  EXPECT_EQ(t.asks(3, modern("7", "o")), stateless_effects{asks_server(request("3", "o"))});
  EXPECT_EQ(t.it.calls_in_flight(), 3u);
}

TEST(server_as_modern, declares_just_what_its_clients_can_be_asked) {
  server_as_modern_driver t{adapter_rules({})};
  EXPECT_EQ(t.asks(1, modern("1", "m")), stateless_effects{asks_server(our_hello("face-1", "{}"))});
  server_as_modern_driver u{adapter_rules({.form = true, .sampling = true, .sampling_tools = true})};
  EXPECT_EQ(
      u.asks(1, modern("1", "m")),
      stateless_effects{asks_server(our_hello("face-1", R"({"elicitation":{"form":{}},"sampling":{"tools":{}}})"))});
}

TEST(server_as_modern, fails_all_that_waits_when_the_server_refuses_and_tries_again_with_the_next) {
  server_as_modern_driver t;
  t.asks(1, modern("\"a\"", "m"));
  t.asks(2, modern("7", "n"));
  EXPECT_EQ(t.server(is_refused("face-1")),
            (stateless_effects{refused(1, "\"a\"", -32603, why_refused), refused(2, "7", -32603, why_refused)}));
  EXPECT_TRUE(t.it.is_idle());
  EXPECT_EQ(t.asks(3, modern("7", "n")), stateless_effects{asks_server(our_hello("face-2"))});
  EXPECT_EQ(t.server(is_refused("face-1")), stateless_effects{});
  EXPECT_EQ(t.server(result("\"face-2\"", R"({"protocolVersion":"1999-01-01"})")),
            stateless_effects{
                refused(3, "7", -32603,
                        "The MCP server cannot be used: it answered initialize with a protocol version that is not "
                        "known")});
}

TEST(server_as_modern, lets_so_many_requests_be_under_way_and_no_more) {
  server_as_modern_driver t{with_calls(2)};
  t.asks(1, modern("1", "m"));
  EXPECT_EQ(t.asks(2, modern("2", "m")), stateless_effects{});
  const auto why = "Too many requests are under way: try again later";
  EXPECT_EQ(t.asks(3, modern("3", "m")), stateless_effects{refused(3, "3", -32603, why)});
  t.server(server_greets("face-1"));
  EXPECT_EQ(t.asks(4, modern("4", "m")), stateless_effects{refused(4, "4", -32603, why)});
  t.server(result("1"));
  EXPECT_EQ(t.asks(5, modern("5", "m")), stateless_effects{asks_server(request("5", "m"))});
}

TEST(server_as_modern, keeps_so_many_bytes_while_the_server_is_not_there_and_no_more) {
  const auto text = modern("1", "m");
  for (auto spare : {1u, 0u}) {
    server_as_modern_driver t{with_bytes(2 * text.size() + spare)};
    t.asks(1, text);
    EXPECT_EQ(t.asks(2, text), stateless_effects{});
    EXPECT_EQ(t.asks(3, text),
              stateless_effects{refused(3, "1", -32603, "Too many bytes wait for the MCP server: try again later")});
    t.server(server_greets("face-1"));
    EXPECT_EQ(t.it.calls_in_flight(), 2u);
  }
  server_as_modern_driver t{with_bytes(2 * text.size() - 1)};
  t.asks(1, text);
  EXPECT_EQ(t.asks(2, text),
            stateless_effects{refused(2, "1", -32603, "Too many bytes wait for the MCP server: try again later")});
}

TEST(server_as_modern, keeps_so_many_bytes_of_calls_that_may_be_parked_and_no_more) {
  const auto text = modern("1", "prompts/get");
  const auto bytes = text.size() - request("1", "prompts/get", "").size() + std::string{"1prompts/get"}.size();
  server_as_modern_driver t{with_bytes(2 * bytes)};
  t.starts();
  t.asks(1, text);
  EXPECT_EQ(t.asks(2, text), stateless_effects{asks_server(request("2", "prompts/get"))});
  EXPECT_EQ(t.asks(3, text),
            stateless_effects{refused(3, "1", -32603, "Too many bytes are under way: try again later")});
  t.server(result("1"));
  EXPECT_EQ(t.asks(5, text), stateless_effects{asks_server(request("5", "prompts/get"))});
}

TEST(server_as_modern, counts_the_bytes_of_the_uri_of_calls_that_cannot_be_parked) {
  const auto text = modern("1", "resources/read", R"("uri":")" + std::string(1000, 'u') + "\"");
  const auto bytes = std::string{"1resources/read"}.size() + 1002;
  for (auto spare : {1, 0, -1}) {
    auto rules = with_bytes(2 * bytes + static_cast<std::size_t>(spare));
    rules.can = {};
    server_as_modern_driver t{rules};
    t.starts();
    t.asks(1, text);
    auto second = t.asks(2, text), third = t.asks(3, text);
    EXPECT_EQ(std::holds_alternative<forward_to_server>(second.at(0)), spare >= 0) << spare;
    EXPECT_TRUE(std::holds_alternative<send_response>(third.at(0))) << spare;
  }
}

// -- listens --------------------------------------------------------------------------

TEST(server_as_modern, ends_listens_with_the_server_and_asks_the_next_nothing_before_it_is_initialized) {
  server_as_modern_driver t;
  t.starts(R"({"resources":{"subscribe":true}})");
  t.asks(1, listen_to("1", "a"));
  t.server(result("\"listen-1\""));
  t.asks(2, listen_to("2", "a", "b"));
  EXPECT_EQ(t.lost(), (stateless_effects{ends_listen(1, "1"), lost_with_server(2, "2")}));
  EXPECT_TRUE(t.it.is_idle());
  EXPECT_EQ(t.asks(3, listen_to("3", "a")), stateless_effects{asks_server(our_hello("face-2"))});
}

TEST(server_as_modern, ends_listens_that_wait_and_that_come_later) {
  server_as_modern_driver t;
  t.asks(1, listen_to("1", "a"));
  t.asks(2, modern("2", "m"));
  EXPECT_TRUE(t.it.is_listening(1));
  EXPECT_FALSE(t.it.is_listening(2));
  EXPECT_EQ(t.seen([&](auto& out) { t.it.end_listens(out); }), stateless_effects{ends_listen(1, "1")});
  EXPECT_FALSE(t.it.is_listening(1));
  EXPECT_EQ(t.asks(3, listen_to("3", "a")), stateless_effects{ends_listen(3, "3")});
  EXPECT_EQ(t.server(server_greets("face-1")),
            (stateless_effects{asks_server(we_are_ready), asks_server(request("2", "m"))}));
}

// -- discovery ------------------------------------------------------------------------

TEST(server_as_modern, discovers_what_the_server_said_when_it_was_initialized) {
  server_as_modern_driver t;
  EXPECT_EQ(t.asks(1, modern("\"d\"", "server/discover")), stateless_effects{asks_server(our_hello("face-1"))});
  auto discovery = [](exchange_id exchange, std::string id) {
    return answered(exchange,
                    result(std::move(id), R"({"supportedVersions":["2026-07-28"],"capabilities":)"
                                          R"({"prompts":{},"experimental":{"x":1}},"instructions":"\u0041",)" +
                                              cacheable + "}"));
  };
  EXPECT_EQ(t.server(server_greets("face-1", R"(,"instructions":"\u0041")")),
            (stateless_effects{asks_server(we_are_ready), discovery(1, "\"d\"")}));
  EXPECT_EQ(t.asks(2, modern("3", "server/discover")), stateless_effects{discovery(2, "3")});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(server_as_modern, discovers_a_server_that_says_little) {
  server_as_modern_driver t;
  t.asks(1, modern("1", "server/discover"));
  EXPECT_EQ(
      t.server(result("\"face-1\"", R"({"protocolVersion":"2024-11-05"})")),
      (stateless_effects{asks_server(we_are_ready),
                         answered(1, result("1", R"({"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,)"
                                                 R"("cacheScope":"private","resultType":"complete"})"))}));
}

// -- requests and answers --------------------------------------------------------------

TEST(server_as_modern, gives_answers_to_the_exchange_that_asked_with_the_clients_id) {
  server_as_modern_driver t;
  t.starts();
  t.asks(4, modern("\"a\"", "m"));
  t.asks(5, modern("\"a\"", "m"));
  EXPECT_EQ(t.server(result("5", R"({"x":1})")),
            stateless_effects{answered(5, result("\"a\"", R"({"x":1,)" + complete + "}"))});
  EXPECT_EQ(t.server(result("5")), stateless_effects{});
  EXPECT_EQ(t.server(error_text("4", -32601, "no")), stateless_effects{refused(4, "\"a\"", -32601, "no")});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(server_as_modern, names_the_uri_of_a_resource_that_is_missing) {
  server_as_modern_driver t;
  t.starts();
  t.asks(4, modern("1", "resources/read", R"("uri":"a:b")"));
  EXPECT_EQ(t.server(error_text("4", -32002, "no")),
            stateless_effects{answered(
                4, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{"uri":"a:b"}}})", -32602)});
}

TEST(server_as_modern, has_no_requests_that_only_sessions_have) {
  server_as_modern_driver t;
  for (auto method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
    EXPECT_EQ(t.asks(1, modern("1", method)), stateless_effects{refused(1, "1", -32601, "Method not found")});
  t.starts();
  for (auto method : {"tasks/get", "tasks/list"})
    EXPECT_EQ(t.asks(1, modern("1", method)), stateless_effects{refused(1, "1", -32601, "Method not found")});
}

TEST(server_as_modern, answers_the_server_itself_where_no_client_is_needed) {
  server_as_modern_driver t;
  t.starts();
  EXPECT_EQ(t.server(request("\"p\"", "ping")), stateless_effects{asks_server(result("\"p\""))});
  EXPECT_EQ(t.server(request("1", "odd")), stateless_effects{asks_server(error_text("1", -32601, "Method not found"))});
}

TEST(server_as_modern, drops_notifications_that_nobody_can_be_told_of) {
  server_as_modern_driver t;
  t.starts();
  t.calls(1);
  for (auto method : {"notifications/elicitation/complete", "notifications/tasks/status", "notifications/x"})
    EXPECT_EQ(t.server(note(method)), stateless_effects{});
}

// -- withdrawal ------------------------------------------------------------------------

TEST(server_as_modern, cancels_a_call_whose_client_closes_the_exchange) {
  server_as_modern_driver t;
  t.starts();
  t.asks(4, modern("\"a\"", "m"));
  EXPECT_EQ(t.closes(4), stateless_effects{asks_server(cancellation_of("4", "The client closed its request").text)});
  EXPECT_EQ(t.closes(4), stateless_effects{});
  EXPECT_EQ(t.server(result("4")), stateless_effects{});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(server_as_modern, forgets_a_request_that_is_closed_while_it_waits) {
  server_as_modern_driver t;
  t.asks(1, modern("1", "m"));
  t.asks(2, modern("2", "m"));
  EXPECT_EQ(t.closes(1), stateless_effects{});
  EXPECT_EQ(t.server(server_greets("face-1")),
            (stateless_effects{asks_server(we_are_ready), asks_server(request("2", "m"))}));
}

// -- listens ---------------------------------------------------------------------------

TEST(server_as_modern, listens_once_the_server_is_there) {
  server_as_modern_driver t;
  t.asks(1, modern("\"l\"", "subscriptions/listen", R"("notifications":{"promptsListChanged":true})"));
  auto seen = t.server(
      result("\"face-1\"", R"({"protocolVersion":"2025-11-25","capabilities":{"prompts":{"listChanged":true}}})"));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(std::get<send_notification>(seen[1]).exchange, 1u);
  EXPECT_EQ(t.it.listens(), 1u);
  EXPECT_FALSE(t.it.is_idle());
  EXPECT_EQ(t.server(note("notifications/prompts/list_changed")).size(), 1u);
  EXPECT_EQ(t.closes(1), stateless_effects{});
  EXPECT_TRUE(t.it.is_idle());
}

// -- ends ------------------------------------------------------------------------------

TEST(server_as_modern, fails_all_once_when_the_server_is_lost_and_begins_again) {
  server_as_modern_driver t;
  t.asks(1, modern("1", "m"));
  EXPECT_EQ(t.lost(), stateless_effects{lost_with_server(1, "1")});
  t.asks(2, modern("2", "m"));
  t.server(server_greets("face-2"));
  EXPECT_EQ(t.lost(), stateless_effects{lost_with_server(2, "2")});
  EXPECT_EQ(t.lost(), stateless_effects{});
  EXPECT_EQ(t.asks(3, modern("3", "m")), stateless_effects{asks_server(our_hello("face-3"))});
}

TEST(server_as_modern, takes_nothing_from_a_server_that_was_lost) {
  server_as_modern_driver t;
  t.asks(1, modern("1", "m"));
  t.lost();
  t.asks(2, modern("2", "m"));
  EXPECT_EQ(t.server(server_greets("face-1")), stateless_effects{});
  EXPECT_EQ(t.it.calls_in_flight(), 1u);
}

TEST(server_as_modern, keeps_for_the_retry_that_the_server_was_lost) {
  server_as_modern_driver t;
  t.starts();
  t.parks(5, "1");
  EXPECT_EQ(t.lost(), stateless_effects{});
  EXPECT_EQ(t.it.parked_calls(), 1u);
  EXPECT_EQ(t.retries(6, 5, 1, R"("q1":)" + accepted), stateless_effects{lost_with_server(6, "8")});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(server_as_modern, ends_all_when_the_lease_ends) {
  server_as_modern_driver t;
  t.starts(R"({"prompts":{"listChanged":true}})");
  t.asks(1, modern("\"l\"", "subscriptions/listen", R"("notifications":{"promptsListChanged":true})"));
  t.asks(2, modern("2", "m"));
  t.parks(3, "\"q\"");
  auto seen = t.ends();
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(std::get<send_response>(seen.back()).exchange, 1u);
  seen.pop_back();
  EXPECT_EQ(seen, (stateless_effects{asks_server(result("\"q\"", R"({"action":"cancel"})")),
                                     asks_server(cancellation_of("2", "The lease ends").text),
                                     refused(2, "2", -32603, "The lease ends"),
                                     asks_server(cancellation_of("3", "The lease ends").text)}));
  EXPECT_TRUE(t.it.is_idle());
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(server_as_modern, ends_what_waits_for_the_server_too) {
  server_as_modern_driver t;
  t.asks(1, modern("1", "m"));
  EXPECT_EQ(t.ends(), stateless_effects{refused(1, "1", -32603, "The lease ends")});
}

} // namespace troupe::tests::server_as_modern_test
