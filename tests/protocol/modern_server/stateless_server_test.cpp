// A 2026-07-28 server as a session-based user sees it.

#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::stateless_server_test {

namespace {

const std::string level = R"("io.modelcontextprotocol/logLevel":"warning")";

std::string complete(std::string id, std::string members = {}) {
  return result(std::move(id), R"({"resultType":"complete")" + members + "}");
}
std::string tool_failed(std::string id, std::string why) {
  return result(std::move(id), R"({"content":[{"type":"text","text":")" + why + R"("}],"isError":true})");
}

} // namespace

// -- initialize ----------------------------------------------------------------

TEST(stateless_server, answers_initialize_by_what_was_discovered) {
  server_as_legacy_driver t;
  t.user(hello("0", "2025-06-18"));
  auto offers = R"({"tools":{"listChanged":true},"logging":{},"completions":{},"extensions":{"x":{}},"tasks":{}})";
  EXPECT_EQ(t.server(discovered(offers)),
            adapter_effects{
                shows_user(greeted(R"({"tools":{"listChanged":true},"logging":{},"completions":{}})", "2025-06-18"))});
}

TEST(stateless_server, agrees_on_the_newest_version_with_sessions_when_another_is_wanted) {
  server_as_legacy_driver t;
  t.user(hello("0", "2099-01-01"));
  EXPECT_EQ(t.server(discovered("{}")), adapter_effects{shows_user(greeted("{}", "2025-11-25"))});
}

TEST(stateless_server, has_the_configured_name_unless_it_says_its_own) {
  for (const std::string info : {"", R"(,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n"}})",
                                 R"(,"_meta":{"io.modelcontextprotocol/serverInfo":1})"}) {
    server_as_legacy_driver t;
    t.user(hello("0"));
    EXPECT_EQ(t.server(result("\"troupe-discover-1\"", R"({"supportedVersions":["2026-07-28"])" + info + "}")),
              adapter_effects{shows_user(result("0", R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                                                     R"("serverInfo":{"name":"server","version":"unknown"}})"))});
  }
}

TEST(stateless_server, hears_no_notifications_of_its_user) {
  server_as_legacy_driver t;
  t.opened();
  for (const std::string method : {"initialized", "roots/list_changed", "x"})
    EXPECT_EQ(t.user(note("notifications/" + method)), adapter_effects{});
}

TEST(stateless_server, is_not_asked_what_the_gateway_answers) {
  server_as_legacy_driver t;
  t.opened();
  EXPECT_EQ(t.user(request("1", "ping")), adapter_effects{shows_user(result("1"))});
  EXPECT_EQ(t.user(hello("2")),
            adapter_effects{shows_user(error_text("2", -32600, "Invalid Request: initialize was answered before"))});
  for (const std::string method : {"tasks/get", "server/discover", "subscriptions/listen"})
    EXPECT_EQ(t.user(request("3", method)),
              adapter_effects{shows_user(error_text("3", -32601, "Method not found: " + method))});
}

// -- requests --------------------------------------------------------------------

TEST(stateless_server, is_told_with_each_request_who_the_client_is) {
  server_as_legacy_driver t;
  t.user(request("0", "initialize",
                 R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"2"}})"));
  t.server(discovered());
  EXPECT_EQ(t.user(request("\"a\"", "tools/list")),
            adapter_effects{asks(request("1", "tools/list",
                                         R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                         R"("io.modelcontextprotocol/clientCapabilities":{},)"
                                         R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"2"}}})"))});
}

TEST(stateless_server, learns_no_more_capabilities_than_the_clients_revision_has) {
  const std::string all = R"({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},)"
                          R"("roots":{"listChanged":true},"tasks":{}})";
  auto told = [&](std::string version) {
    server_as_legacy_driver t;
    t.user(hello("0", std::move(version), all));
    t.server(discovered());
    auto sent = t.user(request("1", "m"));
    return std::string{*find_member(std::get<deliver_to_server>(sent.at(0)).what.text,
                                    {"params", "_meta", "io.modelcontextprotocol/clientCapabilities"})};
  };
  EXPECT_EQ(told("2025-11-25"),
            R"({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}})");
  EXPECT_EQ(told("2025-06-18"), R"({"elicitation":{"form":{}},"sampling":{},"roots":{}})");
  EXPECT_EQ(told("2025-03-26"), R"({"sampling":{},"roots":{}})");
}

TEST(stateless_server, gets_requests_as_they_were_but_for_the_envelope) {
  server_as_legacy_driver t;
  t.opened();
  EXPECT_EQ(
      t.user(request("7", "tools/call",
                     R"({"name":"n","task":{"ttl":1},"arguments":{"a": 1.0},"requestState":"x","inputResponses":{},)"
                     R"("_meta":{"progressToken":"p","traceparent":"t",)"
                     R"("io.modelcontextprotocol/clientCapabilities":{"x":{}},)"
                     R"("io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/clientInfo":{}}})")),
      adapter_effects{asks(enveloped("1", "tools/call", R"(,"name":"n","arguments":{"a": 1.0})",
                                     R"(,"progressToken":"p","traceparent":"t")"))});
  EXPECT_EQ(t.user(R"({"jsonrpc":"2.0","id":8,"method":"x/y"})"), adapter_effects{asks(enveloped("2", "x/y"))});
}

TEST(stateless_server, answers_in_the_words_of_the_session_era) {
  server_as_legacy_driver t;
  t.opened();
  t.user(request("\"a\"", "resources/list"));
  EXPECT_EQ(
      t.server(complete("1", R"(,"ttlMs":5,"cacheScope":"public","resources":[{"ttlMs":1}],"nextCursor":"n",)"
                             R"("_meta":{"io.modelcontextprotocol/serverInfo":{},"x":1})")),
      adapter_effects{shows_user(result("\"a\"", R"({"resources":[{"ttlMs":1}],"nextCursor":"n","_meta":{"x":1}})"))});
  t.user(request("9", "x/y"));
  EXPECT_EQ(t.server(result("2", R"({"a":1,"_meta":{"io.modelcontextprotocol/serverInfo":{}}})")),
            adapter_effects{shows_user(result("9", R"({"a":1})"))});
  EXPECT_EQ(t.server(complete("2")), adapter_effects{});
}

TEST(stateless_server, makes_progress_and_logs_for_its_user) {
  server_as_legacy_driver t;
  t.opened();
  t.user(request_with("\"p\"", "1", "tools/call"));
  EXPECT_EQ(t.server(progress("\"p\"")), adapter_effects{shows_user(progress("\"p\""))});
  EXPECT_EQ(t.server(note("notifications/message", R"({"level":"error"})")),
            adapter_effects{shows_user(note("notifications/message", R"({"level":"error"})"))});
  EXPECT_EQ(t.server(note("notifications/x/y")), adapter_effects{shows_user(note("notifications/x/y"))});
}

TEST(stateless_server, has_notifications_told_in_the_words_of_the_session_era) {
  server_as_legacy_driver t;
  t.opened();
  const std::string meta = R"("io.modelcontextprotocol/serverInfo":{},"io.modelcontextprotocol/subscriptionId":1)";
  EXPECT_EQ(t.server(note("notifications/message", R"({"level":"error","_meta":{)" + meta + "}}")),
            adapter_effects{shows_user(note("notifications/message", R"({"level":"error"})"))});
  EXPECT_EQ(
      t.server(note("notifications/progress", R"({"progressToken":"p","progress":1,"_meta":{"x":1,)" + meta + "}}")),
      adapter_effects{
          shows_user(note("notifications/progress", R"({"progressToken":"p","progress":1,"_meta":{"x":1}})"))});
}

TEST(stateless_server, must_not_ask_its_client) {
  server_as_legacy_driver t;
  t.opened();
  EXPECT_EQ(t.server(request("1", "roots/list")),
            adapter_effects{(log_note{log_note::weight::warning,
                                      "server of 2026-07-28 sent a request, which it must not; it was dropped",
                                      {{"method", "roots/list"}}})});
}

TEST(stateless_server, is_asked_to_cancel) {
  server_as_legacy_driver t;
  t.opened();
  t.user(request("\"a\"", "tools/call"));
  EXPECT_EQ(t.user(cancelled("\"a\"")), adapter_effects{asks(cancelled("1"))});
  EXPECT_EQ(t.server(complete("1")), adapter_effects{});
  EXPECT_EQ(t.user(cancelled("\"a\"")), adapter_effects{});
}

TEST(stateless_server, keeps_no_more_bytes_of_calls_than_it_may) {
  const std::string call = request("9", "tools/call", R"({"name":"n"})");
  for (auto room : {2 * call.size() - 1, 2 * call.size(), 2 * call.size() + 1}) {
    server_as_legacy_driver t{
        {.known = server_era::stateless, .name = "server", .mark = "mark", .waiting_bytes = room}};
    t.opened();
    t.user(call);
    if (room < 2 * call.size()) {
      EXPECT_EQ(t.user(call),
                adapter_effects{shows_user(failed("9", "Too many bytes are under way: try again later"))});
      EXPECT_EQ(t.user(request("8", "x/y")), adapter_effects{asks(enveloped("2", "x/y"))});
      t.server(complete("1"));
      EXPECT_EQ(t.user(call), adapter_effects{asks(enveloped("3", "tools/call", R"(,"name":"n")"))});
    } else
      EXPECT_EQ(t.user(call), adapter_effects{asks(enveloped("2", "tools/call", R"(,"name":"n")"))});
  }
}

// -- errors ------------------------------------------------------------------------

TEST(stateless_server, has_its_errors_told_by_the_codes_of_the_session_era) {
  server_as_legacy_driver t;
  t.opened();
  auto answered = [&, own = 0](std::string asked, std::string answer) mutable {
    t.user(asked);
    return t.server(R"({"jsonrpc":"2.0","id":)" + std::to_string(++own) + R"(,"error":)" + answer + "}");
  };
  const std::string read = request("9", "resources/read", R"({"uri":"a:b"})");
  const std::string call = request("9", "tools/call");
  EXPECT_EQ(answered(read, R"({"code":-32602,"message":"m","data":{"uri":"a:b"}})"),
            adapter_effects{
                shows_user(R"({"jsonrpc":"2.0","id":9,"error":{"code":-32002,"message":"m","data":{"uri":"a:b"}}})")});
  EXPECT_EQ(answered(read, R"({"code":-32602,"message":"m","data":{"uri":"a:c"}})"),
            adapter_effects{
                shows_user(R"({"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"m","data":{"uri":"a:c"}}})")});
  EXPECT_EQ(answered(call, R"({"code":-32601,"message":"m"})"),
            adapter_effects{shows_user(R"({"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"m"}})")});
  const std::string lacks =
      R"({"code":-32021,"message":"m","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}})";
  EXPECT_EQ(answered(call, lacks),
            adapter_effects{shows_user(tool_failed(
                "9", R"(The MCP server needs what the client is not capable of: {\"elicitation\":{\"url\":{}}})"))});
  EXPECT_EQ(answered(read, lacks),
            adapter_effects{shows_user(
                failed("9", R"(The MCP server needs what the client is not capable of: {"elicitation":{"url":{}}})"))});
  for (const std::string code : {"-32020", "-32022"})
    EXPECT_EQ(answered(call, R"({"code":)" + code + R"(,"message":"m"})"),
              adapter_effects{shows_user(failed("9", "The MCP server did not understand the gateway: m"))});
}

TEST(stateless_server, fails_a_request_whose_result_means_nothing_to_us) {
  server_as_legacy_driver t;
  t.opened();
  auto answered = [&, own = 0](std::string method, std::string value) mutable {
    t.user(request("9", method));
    return t.server(result(std::to_string(++own), value));
  };
  EXPECT_EQ(
      answered("tools/call", R"({"resultType":"task"})"),
      adapter_effects{shows_user(failed("9", "The MCP server answered with a type of result that is not supported"))});
  EXPECT_EQ(
      answered("tools/call", R"({"resultType":1})"),
      adapter_effects{shows_user(failed("9", "The MCP server answered with a type of result that is not supported"))});
  EXPECT_EQ(answered("tools/list", R"({"resultType":"input_required","requestState":"s"})"),
            adapter_effects{shows_user(failed("9", "The MCP server asked for input where it must not"))});
  EXPECT_EQ(answered("tools/list", "[]"),
            adapter_effects{shows_user(failed("9", "The MCP server answered with a result that is no object"))});
}

// -- log levels --------------------------------------------------------------------

TEST(stateless_server, is_told_the_log_level_with_later_requests) {
  server_as_legacy_driver t;
  t.opened(R"({"logging":{}})");
  EXPECT_EQ(t.user(request("1", "logging/setLevel", R"({"level":"warning"})")),
            adapter_effects{shows_user(result("1"))});
  EXPECT_EQ(t.user(request("2", "tools/list", "{}")),
            adapter_effects{asks(enveloped("1", "tools/list", {}, "," + level))});
  EXPECT_EQ(t.user(request("3", "logging/setLevel", R"({"level":"loud"})")),
            adapter_effects{shows_user(error_text("3", -32602, "Unknown log level"))});
}

TEST(stateless_server, has_no_log_level_unless_it_logs) {
  server_as_legacy_driver t;
  t.opened();
  EXPECT_EQ(t.user(request("1", "logging/setLevel", R"({"level":"warning"})")),
            adapter_effects{shows_user(error_text("1", -32601, "The MCP server offers no log messages"))});
}

// -- structured content ----------------------------------------------------------------

TEST(stateless_server, has_structured_content_put_into_objects) {
  server_as_legacy_driver t;
  t.opened();
  t.user(request("1", "tools/list"));
  EXPECT_EQ(
      t.server(complete("1", R"(,"tools":[{"name":"a","outputSchema":{"type":"array","items":{"$ref":"#/$defs/x"},)"
                             R"("$defs":{"x":{"$ref":"#"},"y":{"$ref":"http://z#"}}}},)"
                             R"({"name":"b","outputSchema":{"type":"object"}},{"name":"c"}])")),
      adapter_effects{shows_user(result(
          "1", R"({"tools":[{"name":"a","outputSchema":{"type":"object","properties":{"result":)"
               R"({"type":"array","items":{"$ref":"#/properties/result/$defs/x"},)"
               R"("$defs":{"x":{"$ref":"#/properties/result"},"y":{"$ref":"http://z#"}}}},"required":["result"]}},)"
               R"({"name":"b","outputSchema":{"type":"object"}},{"name":"c"}]})"))});
  auto called = [&, own = 1](std::string tool, std::string members) mutable {
    t.user(request("9", "tools/call", R"({"name":")" + tool + "\"}"));
    return t.server(complete(std::to_string(++own), members));
  };
  EXPECT_EQ(called("a", R"(,"content":[{}],"structuredContent":[1])"),
            adapter_effects{shows_user(result("9", R"({"content":[{}],"structuredContent":{"result":[1]}})"))});
  EXPECT_EQ(called("a", R"(,"content":[],"structuredContent":{"b":1})"),
            adapter_effects{shows_user(result("9", R"({"structuredContent":{"result":{"b":1}},)"
                                                   R"("content":[{"type":"text","text":"{\"b\":1}"}]})"))});
  EXPECT_EQ(called("b", R"(,"structuredContent":{"b":1})"),
            adapter_effects{shows_user(result("9", R"({"structuredContent":{"b":1}})"))});
  EXPECT_EQ(called("unlisted", R"(,"structuredContent":3)"),
            adapter_effects{shows_user(result("9", R"({"structuredContent":{"result":3},)"
                                                   R"("content":[{"type":"text","text":"3"}]})"))});
}

// -- requests of 2026-07-28 ------------------------------------------------------

TEST(stateless_server, says_that_it_takes_them) {
  server_as_legacy_driver t;
  t.user(hello("0"));
  auto told = t.server(discovered());
  ASSERT_EQ(told, adapter_effects{shows_user(greeted())});
  EXPECT_TRUE(std::get<deliver_to_user>(told.front()).what.claims_modern);
}

TEST(stateless_server, gets_and_answers_them_as_they_are_but_for_ids) {
  server_as_legacy_driver t;
  t.opened();
  auto asked = [](const std::string& id) {
    return enveloped(id, "tools/call", R"(,"name":"x","task":{},"requestState":"s","y": 1.50)", R"(,"z":1)");
  };
  EXPECT_EQ(t.user(asked("\"a\"")), adapter_effects{asks(asked("1"))});
  const std::string odd = R"({"resultType":"input_required", "ttlMs":5,"_meta":{"x":1.50}})";
  EXPECT_EQ(t.server(result("1", odd)), adapter_effects{shows_user(result("\"a\"", odd))});
  EXPECT_EQ(t.user(enveloped("\"b\"", "server/discover")), adapter_effects{asks(enveloped("2", "server/discover"))});
  EXPECT_EQ(t.server(error("2", -32021)), adapter_effects{shows_user(error("\"b\"", -32021))});
}

TEST(stateless_server, must_not_ask_in_the_middle_of_one) {
  server_as_legacy_driver t;
  t.opened();
  t.user(enveloped("\"a\"", "tools/call"));
  EXPECT_EQ(t.server(request("1", "sampling/createMessage")),
            adapter_effects{(log_note{log_note::weight::warning,
                                      "server of 2026-07-28 sent a request, which it must not; it was dropped",
                                      {{"method", "sampling/createMessage"}}})});
  EXPECT_EQ(t.server(result("1")), adapter_effects{shows_user(result("\"a\""))});
}

TEST(stateless_server, hears_that_one_is_cancelled) {
  server_as_legacy_driver t;
  t.opened();
  t.user(enveloped("\"a\"", "x"));
  EXPECT_EQ(t.user(cancellation_of("\"a\"", "why").text), adapter_effects{asks(cancellation_of("1", "why").text)});
  EXPECT_EQ(t.server(result("1")), adapter_effects{});
}

// -- many users ------------------------------------------------------------------

TEST(stateless_server, hears_of_each_of_its_users_what_that_one_can_be_asked) {
  server_as_legacy_driver t;
  t.opened();
  const auto elicits = hello("0", "2025-11-25", R"({"elicitation":{}})"), is_mute = hello("0", "2025-11-25", "{}");
  auto asks_by = [&](std::string capabilities, std::string own, std::string more = {}) {
    return asks(request(std::move(own), "tools/call",
                        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientCapabilities":)" +
                            capabilities + "}" + R"(,"name":"n")" + more + "}"));
  };
  const std::string form = R"({"elicitation":{"form":{}}})";
  EXPECT_EQ(t.user_of_many(request("7", "tools/call", R"({"name":"n"})"), elicits),
            adapter_effects{asks_by(form, "1")});
  EXPECT_EQ(t.user_of_many(request("8", "tools/call", R"({"name":"n"})"), is_mute),
            adapter_effects{asks_by("{}", "2")});
  const std::string wants = R"({"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create",)"
                            R"("params":{"message":"m","requestedSchema":{}}}}})";
  EXPECT_EQ(std::get<deliver_to_user>(t.server(result("1", wants)).back()).concerns, "7");
  auto refused = std::get<deliver_to_user>(t.server(result("2", wants)).back()).what.text;
  EXPECT_NE(refused.find(R"("id":8,"result":)"), refused.npos);
  EXPECT_NE(refused.find(R"("isError":true)"), refused.npos);
  EXPECT_EQ(t.user(result("1", R"({"action":"accept"})")),
            adapter_effects{asks_by(form, "3", R"(,"inputResponses":{"k":{"action":"accept"}})")});
}

// 2026-07-28, logging: only on the stream of the request that enabled it
TEST(stateless_server, says_whose_request_a_log_message_is_about_as_far_as_that_is_known) {
  server_as_legacy_driver t;
  t.opened(R"({"tools":{},"logging":{}})");
  t.user_of_many(request("7", "tools/call", R"({"name":"n"})"), hello("0"));
  auto asked = gateway_message(request("8", "tools/call"));
  asked.claims_modern = true;
  t.it.user_sent(asked, t.now);
  const auto log = note("notifications/message", R"({"level":"error"})");
  EXPECT_EQ(t.server(log), adapter_effects{shows_user(log)});
  EXPECT_EQ(t.server(log, "1"), adapter_effects{shows_user(log, "7")});
  EXPECT_EQ(t.server(log, "2"), adapter_effects{shows_user(log, "8")});
  for (auto& other : {"3", "\"troupe-listen-1\""})
    EXPECT_EQ(t.server(log, other), adapter_effects{}) << other;
  t.server(result("1"));
  EXPECT_EQ(t.server(log, "1"), adapter_effects{});
  const auto progress = note("notifications/progress", R"({"progressToken":1,"progress":1})");
  EXPECT_EQ(t.server(progress, "3"), adapter_effects{shows_user(progress)});
}

TEST(stateless_server, keeps_the_level_of_none_of_its_many_users) {
  server_as_legacy_driver t;
  t.opened(R"({"logging":{}})");
  EXPECT_EQ(t.user_of_many(request("1", "logging/setLevel", R"({"level":"warning"})"), hello("0")),
            adapter_effects{shows_user(result("1"))});
  EXPECT_EQ(t.user(request("2", "tools/list")), adapter_effects{asks(enveloped("1", "tools/list"))});
}

TEST(stateless_server, keeps_so_many_bytes_of_the_calls_of_each_of_its_users) {
  const auto call = request("9", "tools/call", R"({"name":"n"})");
  for (auto room : {2 * call.size() - 1, 2 * call.size()}) {
    server_as_legacy_driver t{
        {.known = server_era::stateless, .name = "server", .mark = "mark", .waiting_bytes = call.size()}};
    t.opened();
    auto ada = std::make_shared<const user_envelope>(gateway_message(hello("0")), room);
    auto bob = std::make_shared<const user_envelope>(gateway_message(hello("0")), room);
    EXPECT_TRUE(std::holds_alternative<deliver_to_server>(t.user_of_many(call, ada).back()));
    EXPECT_EQ(std::holds_alternative<deliver_to_server>(t.user_of_many(call, ada).back()), room == 2 * call.size());
    EXPECT_TRUE(std::holds_alternative<deliver_to_server>(t.user_of_many(call, bob).back()));
    t.server(complete("1"));
    EXPECT_TRUE(std::holds_alternative<deliver_to_server>(t.user_of_many(call, ada).back()));
  }
}

TEST(stateless_server, lets_go_of_what_it_keeps_of_a_call_whose_user_was_forgotten) {
  server_as_legacy_driver t;
  t.opened();
  t.user_of_many(request("9", "tools/call", R"({"name":"n"})"), hello("0"));
  EXPECT_EQ(t.server(result("1", R"({"resultType":"input_required"})")).size(), 1u);
}

} // namespace troupe::tests::stateless_server_test
