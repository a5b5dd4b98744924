// Requests of 2026-07-28: which are accepted, and why others are refused.

#include "protocol/http/stateless_request.hpp"
#include "tests/protocol/http/stateless_requests.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::tests::stateless_request_test {

namespace {

const std::string listing = stateless_call("tools/list");
const std::string calling = stateless_call("tools/call", R"(,"name":"get_weather")");

fields list_fields() { return alone_fields("tools/list"); }

fields one_more(fields result, http_field one) {
  result.push_back(one);
  return result;
}

std::string seen_alone(fields sent_fields, const std::string& body) {
  return seen(parsed_stateless(std::move(sent_fields), body));
}

/// The result for a call of the tool with that `Mcp-Name`.
std::string seen_name(std::string_view name, const std::string& body = calling) {
  return seen_alone(alone_fields("tools/call", name), body);
}

stateless_post answer_of(fields sent_fields, const std::string& body) {
  auto result = parsed_stateless(std::move(sent_fields), body);
  EXPECT_TRUE(std::holds_alternative<stateless_post>(result)) << seen(result);
  return std::get<stateless_post>(result);
}

std::string why(const parsed_request& one) { return std::get<rejection>(one).text; }

const auto mismatch = refused(400, -32020);
const auto bad_params = refused(400, -32602);

} // namespace

// -- good requests -------------------------------------------------------------

TEST(stateless_request, is_let_in_with_what_it_says_of_its_client) {
  auto body = stateless_call("tools/call", R"(,"name":"get_weather")",
                             says_version(R"("2026-07-28")") +
                                 R"(,"io.modelcontextprotocol/clientCapabilities":{"roots":{}},"progressToken":5,)"
                                 R"("io.modelcontextprotocol/logLevel":"error")");
  auto one = answer_of(alone_fields("tools/call", "get_weather"), body);
  EXPECT_EQ(one.server, "");
  EXPECT_EQ(one.request.text, body);
  EXPECT_EQ(one.request.id, "\"q\"");
  EXPECT_EQ(one.request.reference, "5");
  EXPECT_EQ(one.envelope,
            (request_envelope{.version = "2026-07-28", .can = {.roots = true}, .log_level = severity::error}));
}

TEST(stateless_request, is_let_in_at_the_path_of_one_server) {
  EXPECT_EQ(seen(parsed("POST", "/servers/files/mcp", list_fields(), listing)), "answer to tools/list of files");
}

TEST(stateless_request, is_let_in_whatever_its_method_unless_that_was_removed) {
  for (std::string method : {"server/discover", "tools/list", "prompts/list", "resources/list", "completion/complete",
                             "custom/thing", "roots/list", ""})
    EXPECT_EQ(seen_alone(alone_fields(method), stateless_call(method)), "answer to " + method);
}

// RFC 9110, 5.1 and 5.5
TEST(stateless_request, has_fields_of_any_case_with_blanks_around_their_values) {
  fields sent_fields{{"HOST", "localhost"},
                     {"content-type", "application/json"},
                     {"accept", "*/*"},
                     {"mcp-protocol-version", "\t2026-07-28 "},
                     {"MCP-METHOD", " tools/call\t"},
                     {"mcp-name", "   get_weather  "}};
  EXPECT_EQ(seen_alone(sent_fields, calling), "answer to tools/call");
}

// 2026-07-28, transports: there are no sessions and no resumption
TEST(stateless_request, may_name_a_session_or_an_event_even_a_malformed_one) {
  for (auto& other : fields{{"Mcp-Session-Id", id}, {"Mcp-Session-Id", "a b"}, {"Last-Event-ID", "\x01"}})
    EXPECT_EQ(seen_alone(one_more(one_more(list_fields(), other), other), listing), "answer to tools/list");
  EXPECT_EQ(seen_alone(with(list_fields(), {{"Mcp-Session-Id", "a b"}}), "{"), "400 -32700");
  EXPECT_EQ(seen_alone(with(list_fields(), {{"Mcp-Session-Id", "a b"}, {"MCP-Protocol-Version", none}}), listing),
            mismatch);
}

TEST(stateless_request, hands_over_the_arguments_in_its_header_as_they_were_sent) {
  auto sent_fields = list_fields();
  for (auto& one : fields{{"Mcp-Param-Region", " us-west1 "},
                          {"MCP-PARAM-region", "=?base64?@@@?="},
                          {"mcp-param-", ""},
                          {"Mcp-Params-X", "x"},
                          {"Mcp-Param", "x"}})
    sent_fields.push_back(one);
  EXPECT_EQ(answer_of(sent_fields, listing).envelope.arguments,
            (answer_fields{{"Region", "us-west1"}, {"region", "=?base64?@@@?="}, {"", ""}}));
}

// -- _meta ---------------------------------------------------------------------

// 2026-07-28, schema, "RequestMeta"
TEST(stateless_request, is_refused_without_its_meta) {
  const std::string bare = R"({"jsonrpc":"2.0","id":"q","method":"tools/list")";
  for (auto& body : {bare + "}", bare + R"(,"params":{}})", bare + R"(,"params":{"_meta":[]}})",
                     stateless_call("tools/list", "", ""), stateless_call("tools/list", "", capabilities),
                     stateless_call("tools/list", "", says_version(R"("2026-07-28")")),
                     stateless_call("tools/list", "", says_version("20260728") + "," + capabilities),
                     stateless_call("tools/list", "", says_version("null") + "," + capabilities),
                     stateless_call("tools/list", "", good_meta + R"(,"io.modelcontextprotocol/logLevel":"loud")")})
    EXPECT_EQ(seen_alone(list_fields(), body), bad_params) << body;
}

TEST(stateless_request, is_refused_without_its_meta_also_by_a_later_version) {
  EXPECT_EQ(seen_alone(with(list_fields(), {{"MCP-Protocol-Version", "2027-01-01"}}),
                       stateless_call("tools/list", "", capabilities)),
            bad_params);
}

// 2026-07-28, basic, "Versioning": an error to initialize names the versions that are served
TEST(stateless_request, that_is_an_initialize_of_a_session_is_told_the_versions) {
  for (auto version : {"2026-07-28", "2027-01-01"}) {
    auto bad =
        parsed_stateless(with(post_fields, {{"MCP-Protocol-Version", version}}), client_hello("1", "2025-11-25"));
    EXPECT_EQ(seen(bad), "400 -32020 id 1") << version;
    EXPECT_NE(why(bad).find("supported versions: 2026-07-28"), std::string::npos) << why(bad);
    EXPECT_NE(why(bad).find("2025-11-25"), std::string::npos) << why(bad);
  }
}

// -- MCP-Protocol-Version ------------------------------------------------------

// 2026-07-28, transports, "Protocol Version Header"
TEST(stateless_request, is_refused_unless_its_header_repeats_the_version_once) {
  for (auto version : {"", " ", "2025-11-25", "2026-07-29", "v999.0.0", "2026-07-28, 2026-07-28"})
    EXPECT_EQ(seen_alone(with(list_fields(), {{"MCP-Protocol-Version", version}}), listing), mismatch) << version;
  EXPECT_EQ(seen_alone(with(list_fields(), {{"MCP-Protocol-Version", none}}), listing), mismatch);
  for (auto second : {"2026-07-28", "2025-11-25"})
    EXPECT_EQ(seen_alone(one_more(list_fields(), {"mcp-protocol-version", second}), listing), mismatch) << second;
  auto first = with(list_fields(), {{"MCP-Protocol-Version", "2025-11-25"}});
  EXPECT_EQ(seen_alone(one_more(first, {"mcp-protocol-version", served}), listing), mismatch);
}

// 2026-07-28, basic, "Versioning"
TEST(stateless_request, is_refused_by_a_version_that_is_not_served_which_is_named) {
  for (std::string version : {"v999.0.0", "2026-07-29", "2025-11-25", "2027-01-01", "1.0"}) {
    auto bad = parsed_stateless(
        with(list_fields(), {{"MCP-Protocol-Version", version}}),
        stateless_call("tools/list", "", says_version(troupe::protocol::quoted(version)) + "," + capabilities));
    EXPECT_EQ(seen(bad), refused(400, -32022));
    EXPECT_EQ(rejection_response(std::get<rejection>(bad)).body,
              R"({"jsonrpc":"2.0","id":"q","error":{"code":-32022,"message":"Unsupported protocol version: requests )"
              R"(with _meta speak 2026-07-28; begin with initialize to speak 2025-11-25 or earlier",)"
              R"("data":{"supported":["2026-07-28"],"requested":")" +
                  version + R"("}}})");
  }
}

// -- Mcp-Method and Mcp-Name ---------------------------------------------------

// 2026-07-28, transports, "Standard Headers"
TEST(stateless_request, is_refused_unless_its_header_repeats_the_method_once) {
  for (auto method : {"", "tools/list", "TOOLS/CALL", "tools/call, tools/call", "=?base64?dG9vbHMvY2FsbA==?="})
    EXPECT_EQ(seen_alone(alone_fields(method, "get_weather"), calling), mismatch) << method;
  auto good = alone_fields("tools/call", "get_weather");
  EXPECT_EQ(seen_alone(with(good, {{"Mcp-Method", none}}), calling), mismatch);
  EXPECT_EQ(seen_alone(one_more(good, {"mcp-method", "tools/call"}), calling), mismatch);
}

// 2026-07-28, transports, "Standard Headers" and "Value Encoding"
TEST(stateless_request, is_refused_unless_its_header_repeats_the_name_once) {
  for (auto name : {"get_weather", "=?base64?Z2V0X3dlYXRoZXI=?="})
    EXPECT_EQ(seen_name(name), "answer to tools/call") << name;
  for (auto name : {"", "Get_weather", "get_weather2", "=?BASE64?Z2V0X3dlYXRoZXI=?=", "=?base64?Z2V0X3dlYXRoZXI=",
                    "=?base64?@@@?=", "=?base64?Z2V0X3dlYXRoZXI?=", "=?base64?/w==?=", "=?base64?\?="})
    EXPECT_EQ(seen_name(name), mismatch) << name;
  EXPECT_EQ(seen_name(none), mismatch);
  EXPECT_EQ(seen_alone(one_more(alone_fields("tools/call", "get_weather"), {"mcp-name", "get_weather"}), calling),
            mismatch);
}

TEST(stateless_request, may_have_any_text_as_its_name) {
  auto body = [](const std::string& token) { return stateless_call("tools/call", ",\"name\":" + token); };
  EXPECT_EQ(seen_name("", body(R"("")")), "answer to tools/call");
  EXPECT_EQ(seen_name("=?base64?\?=", body(R"("")")), "answer to tools/call");
  EXPECT_EQ(seen_name("=?base64?w6Q=?=", body(R"("\u00e4")")), "answer to tools/call");
  EXPECT_EQ(seen_name("=?base64?w6Q=?=", body("\"\xc3\xa4\"")), "answer to tools/call");
  EXPECT_EQ(seen_name("=?base64?PT9iYXNlNjQ/Pz0=?=", body("\"=?base64?\?=\"")), "answer to tools/call");
  EXPECT_EQ(seen_name("=?base64?\?=", body("\"=?base64?\?=\"")), mismatch);
}

TEST(stateless_request, has_the_name_that_its_method_goes_by) {
  struct row {
    std::string method, member;
  };
  for (auto& [method, member] : std::vector<row>{{"tools/call", "name"},
                                                 {"prompts/get", "name"},
                                                 {"resources/read", "uri"},
                                                 {"tasks/get", "taskId"},
                                                 {"tasks/update", "taskId"},
                                                 {"tasks/cancel", "taskId"}}) {
    auto body = stateless_call(method, ",\"" + member + R"(":"a:b")");
    EXPECT_EQ(seen_alone(alone_fields(method, "a:b"), body), "answer to " + method);
    EXPECT_EQ(seen_alone(alone_fields(method, "a:c"), body), mismatch) << method;
    EXPECT_EQ(seen_alone(alone_fields(method), body), mismatch) << method;
  }
}

TEST(stateless_request, of_a_method_without_a_name_may_bring_one) {
  auto sent_fields = one_more(alone_fields("tools/list", "anything"), {"Mcp-Name", "=?base64?@@@?="});
  EXPECT_EQ(seen_alone(sent_fields, listing), "answer to tools/list");
  EXPECT_EQ(seen_alone(alone_fields("tasks/list", "x"), stateless_call("tasks/list")), "answer to tasks/list");
}

TEST(stateless_request, without_a_name_is_left_to_the_server_unless_its_header_has_one) {
  EXPECT_EQ(seen_name(none, stateless_call("tools/call")), "answer to tools/call");
  EXPECT_EQ(seen_name("get_weather", stateless_call("tools/call")), mismatch);
  EXPECT_EQ(seen_name("7", stateless_call("tools/call", R"(,"name":7)")), mismatch);
  EXPECT_EQ(seen_name(none, stateless_call("tools/call", R"(,"name":7)")), mismatch);
}

TEST(stateless_request, is_refused_when_only_one_of_two_names_is_the_one_in_its_header) {
  for (auto names : {R"(,"name":"get_weather","name":"drop")", R"(,"name":"drop","n\u0061me":"get_weather")"})
    EXPECT_EQ(seen_name("get_weather", stateless_call("tools/call", names)), mismatch) << names;
}

// -- methods -------------------------------------------------------------------

// 2026-07-28, changelog
TEST(stateless_request, of_a_method_that_was_removed_is_not_found) {
  for (auto method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}) {
    auto bad = parsed_stateless(alone_fields(method), stateless_call(method));
    EXPECT_EQ(seen(bad), refused(404, -32601)) << method;
    EXPECT_EQ(why(bad).find("Method not found: 2026-07-28 has no " + std::string{method}), 0u) << why(bad);
  }
}

// 2026-07-28, schema, "SubscriptionsListenRequest"
TEST(stateless_request, that_listens_says_for_what) {
  auto sent_fields = alone_fields("subscriptions/listen");
  auto listen = [&](const std::string& members) {
    return seen_alone(sent_fields, stateless_call("subscriptions/listen", members));
  };
  EXPECT_EQ(listen(R"(,"notifications":{})"), "answer to subscriptions/listen");
  EXPECT_EQ(listen(R"(,"notifications":{"toolsListChanged":true})"), "answer to subscriptions/listen");
  for (auto members : {"", R"(,"notifications":null)", R"(,"notifications":[])", R"(,"notifications":true)"})
    EXPECT_EQ(listen(members), bad_params) << members;
}

// -- Troupe-Affinity -----------------------------------------------------------

TEST(stateless_request, hands_over_its_affinity) {
  EXPECT_EQ(answer_of(list_fields(), listing).envelope.affinity, "");
  EXPECT_EQ(answer_of(with(list_fields(), {{"troupe-affinity", " my~\"handle!\t"}}), listing).envelope.affinity,
            "my~\"handle!");
}

TEST(stateless_request, has_an_affinity_of_1_to_256_characters_of_visible_ASCII) {
  for (std::size_t size : {1u, 2u, 255u, 256u}) {
    const std::string handle(size, '~');
    EXPECT_EQ(answer_of(with(list_fields(), {{"Troupe-Affinity", handle}}), listing).envelope.affinity, handle);
  }
  const std::string longer(257, '~');
  using texts = std::vector<std::string_view>;
  for (auto bad : texts{longer, "", " ", "a b", "a\tb", "\xc3\xa4", "a\x7f", "\x1f"})
    EXPECT_EQ(seen_alone(with(list_fields(), {{"Troupe-Affinity", bad}}), listing), refused(400, -32600)) << bad;
  EXPECT_EQ(seen_alone(one_more(with(list_fields(), {{"Troupe-Affinity", "a"}}), {"troupe-affinity", "a"}), listing),
            refused(400, -32600));
}

// -- invalid requests ----------------------------------------------------------

// 2026-07-28, transports: notifications of clients have no effect
TEST(stateless_request, that_is_a_notification_is_accepted_and_dropped) {
  constexpr auto bare = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}})";
  const auto claiming = R"({"jsonrpc":"2.0","method":"notifications/custom","params":{"_meta":{)" + good_meta + "}}}";
  EXPECT_EQ(seen_alone(with(list_fields(), {{"Mcp-Method", none}}), bare), "nothing");
  EXPECT_EQ(seen_alone(with(list_fields(), {{"MCP-Protocol-Version", "2027-01-01"}}), bare), "nothing");
  for (auto version : {none, std::string_view{"2025-11-25"}, std::string_view{"2026-07-28"}, std::string_view{"v1"}})
    EXPECT_EQ(seen_alone(with(list_fields(), {{"MCP-Protocol-Version", version}, {"Mcp-Session-Id", id}}), claiming),
              "nothing")
        << version;
}

TEST(stateless_request, is_no_notification_of_a_session) {
  constexpr auto note = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q","_meta":{}}})";
  EXPECT_EQ(seen_alone(post_fields, note), good_post);
  EXPECT_EQ(seen_alone(with(post_fields, {{"MCP-Protocol-Version", "v999.0.0"}}), note), "400 -32000");
}

// 2026-07-28, transports, "Sending Messages to the Server"
TEST(stateless_request, has_an_id_and_is_neither_a_response_nor_a_batch) {
  for (auto body : {R"({"jsonrpc":"2.0","id":3,"result":{}})", R"({"jsonrpc":"2.0","id":3,"error":{}})", "[]", "1",
                    "{}", R"({"jsonrpc":"2.0","method":"tools/list"})"})
    EXPECT_EQ(seen_alone(list_fields(), body), "400 -32600") << body;
  EXPECT_EQ(seen_alone(list_fields(), "[" + listing + "]"), "400 -32600");
  EXPECT_EQ(seen_alone(list_fields(), "[{"), "400 -32700");
}

// 2025-03-26, transports: batches are of that revision
TEST(stateless_request, in_a_batch_of_a_session_is_refused_as_ever) {
  EXPECT_EQ(seen_alone(post_fields, "[" + listing + "]"), "400 -32000 id \"q\"");
}

// 2026-07-28, transports: only POST
TEST(stateless_request, is_a_POST) {
  const rejection only_post{405, -32600, "Method Not Allowed", {}, {{"Allow", "POST"}}};
  for (auto method : {"GET", "DELETE"})
    for (auto version : {"2026-07-28", "2027-01-01"}) {
      EXPECT_EQ(std::get<rejection>(parsed(method, "/mcp", with(get_fields, {{"MCP-Protocol-Version", version}}))),
                only_post);
      fields bad{{"MCP-Protocol-Version", version}, {"Mcp-Session-Id", "a b"}, {"Accept", "text/html"}};
      EXPECT_EQ(std::get<rejection>(parsed(method, "/mcp", with(get_fields, bad))), only_post);
    }
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(stateless_request, has_no_place_in_a_session_of_HTTP_with_SSE) {
  const auto target = "/messages?sessionId=" + id;
  EXPECT_EQ(seen(parsed("POST", target, list_fields(), listing)), "400 -32000 id \"q\"");
}

// -- several errors at once ----------------------------------------------------

TEST(stateless_request, is_refused_by_what_is_wrong_in_this_order) {
  fields sent_fields{{"Host", "localhost"},
                     {"Content-Type", "text/plain"},
                     {"Accept", "text/html"},
                     {"MCP-Protocol-Version", served},
                     {"MCP-Protocol-Version", served},
                     {"Mcp-Session-Id", "a b"},
                     {"Mcp-Method", "ping"},
                     {"Mcp-Name", "other"},
                     {"Troupe-Affinity", "a b"}};
  std::string body = "{", method = "tools/call", meta = R"("io.modelcontextprotocol/protocolVersion":"v1")", members;
  auto call_it = [&] { body = stateless_call(method, members, meta); };
  struct step {
    std::string refusal;
    std::function<void()> mend;
  };
  const std::vector<step> steps{
      {"415 -32600",
       [&] {
         sent_fields = with(sent_fields, {{"Content-Type", "application/json"}});
       }},
      {"406 -32600",
       [&] {
         sent_fields = with(sent_fields, {{"Accept", "*/*"}});
       }},
      {"400 -32700", [&] { body = R"({"jsonrpc":"2.0","id":"q","method":7})"; }},
      {refused(400, -32600), call_it},
      {bad_params, [&] { meta = says_version(R"("v1")") + "," + capabilities, call_it(); }},
      {mismatch,
       [&] {
         sent_fields = with(sent_fields, {{"MCP-Protocol-Version", "v1"}});
       }},
      {refused(400, -32022),
       [&] {
         meta = good_meta, call_it(), sent_fields = with(sent_fields, {{"MCP-Protocol-Version", served}});
       }},
      {mismatch,
       [&] {
         sent_fields = with(sent_fields, {{"Mcp-Method", "tools/call"}});
       }},
      {mismatch,
       [&] {
         method = "ping", call_it(), sent_fields = with(sent_fields, {{"Mcp-Method", "ping"}});
       }},
      {refused(404, -32601),
       [&] {
         method = "subscriptions/listen", call_it(),
         sent_fields = with(sent_fields, {{"Mcp-Method", "subscriptions/listen"}});
       }},
      {refused(400, -32600),
       [&] {
         sent_fields = with(sent_fields, {{"Troupe-Affinity", "a"}});
       }},
      {bad_params, [&] { members = R"(,"notifications":{})", call_it(); }},
      {"answer to subscriptions/listen", [] {}}};
  members = R"(,"name":"mine")";
  for (auto& [refusal, mend] : steps) {
    EXPECT_EQ(seen_alone(sent_fields, body), refusal);
    mend();
  }
}

TEST(stateless_request, is_refused_by_its_method_before_its_name) {
  EXPECT_EQ(why(parsed_stateless(alone_fields("tools/list", "other"), calling)),
            "Header mismatch: Mcp-Method is not the method of the request");
  EXPECT_EQ(why(parsed_stateless(alone_fields("tools/call", "other"), calling)),
            "Header mismatch: Mcp-Name is not params.name");
}

} // namespace troupe::tests::stateless_request_test
