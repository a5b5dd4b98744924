// A server whose tools, resources and prompts are functions of the host.

#include "protocol/hosted/hosted_server.hpp"

#include "protocol/hosted/hosted_result.hpp"
#include "protocol/message/subscribed_uris.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <ostream>

namespace troupe::protocol {

void PrintTo(const hosted_effect& effect, std::ostream* out) {
  if (auto* said = std::get_if<send_client>(&effect))
    *out << "send_client " << said->what.text;
  else if (auto* call = std::get_if<start_call>(&effect))
    *out << "start_call " << call->call << ' ' << call->what.name << ' '
         << boost::json::serialize(call->what.arguments);
  else if (auto* reply = std::get_if<pass_reply>(&effect))
    *out << "pass_reply " << reply->call << ' ' << reply->what.text;
  else
    *out << "cancel_call " << std::get<cancel_call>(effect).call;
}

} // namespace troupe::protocol

namespace troupe::tests::hosted_server_test {

using namespace protocol;
namespace json = boost::json;

namespace {

json::object parsed(std::string_view text) { return json::parse(text).as_object(); }

struct talk {
  hosted_server machine;
  hosted_offer offer;

  talk() {
    offer.info = parsed(R"({"name":"n","version":"1"})");
    offer.put(list_kind::tools, parsed(R"({"name":"add","inputSchema":{"type":"object","required":["a"],
                                          "properties":{"a":{"type":"number"}}}})"));
    offer.put(list_kind::resources, parsed(R"({"uri":"x://one","name":"one","mimeType":"text/plain"})"));
    offer.put(list_kind::templates, parsed(R"({"uriTemplate":"x://t/{id}","name":"t"})"));
    offer.put(list_kind::prompts,
              parsed(R"({"name":"greet","description":"d","arguments":[{"name":"who","required":true}]})"));
  }
  hosted_effects sends(std::string text) { return machine.client_sent(gateway_message(std::move(text)), offer); }
  hosted_effects asks(const std::string& method, const std::string& params = "{}") {
    return sends(R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" + params + "}");
  }
  hosted_effects notes(const std::string& method, const std::string& params = "{}") {
    return sends(R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}");
  }
  hosted_effects calls(const std::string& arguments) {
    return asks("tools/call", R"({"name":"add","arguments":)" + arguments + "}");
  }
  hosted_effects says(hosted_call_id call, std::string text) {
    return machine.call_said(call, gateway_message(std::move(text)));
  }
};

hosted_effects answers(const std::string& result) {
  return {send_client{gateway_message(R"({"jsonrpc":"2.0","id":7,"result":)" + result + "}")}};
}
hosted_effects refuses(int code, const std::string& text) {
  return {send_client{gateway_message(error_text("7", code, text))}};
}
hosted_effects begins(hosted_call_id call, hosted_call what) {
  what.id = "7";
  return {start_call{call, std::move(what)}};
}
hosted_effects tool_fails(const std::string& text) {
  return answers(R"({"content":[{"type":"text","text":")" + text + R"("}],"isError":true})");
}

std::string text_of(const hosted_effects& effects) { return std::get<send_client>(effects.at(0)).what.text; }
json::value result_of(const hosted_effects& effects) { return json::parse(text_of(effects)).at("result"); }

const std::string done = R"({"jsonrpc":"2.0","id":7,"result":{}})";

} // namespace

// -- greeting -----------------------------------------------------------------------------

TEST(a_hosted_server, agrees_on_the_version_that_is_asked_for_when_it_knows_that) {
  talk t;
  auto version = [&](const std::string& params) {
    return result_of(t.asks("initialize", params)).at("protocolVersion").as_string();
  };
  EXPECT_EQ(version(R"({"protocolVersion":"2025-03-26"})"), "2025-03-26");
  for (auto other : {R"({"protocolVersion":"2099-01-01"})", R"({"protocolVersion":1})", "{}"})
    EXPECT_EQ(version(other), "2025-11-25") << other;
}

TEST(a_hosted_server, declares_its_lists_also_while_they_are_empty) {
  talk t;
  auto all = json::parse(R"({"logging":{},"tools":{"listChanged":true},"prompts":{"listChanged":true},
                             "resources":{"subscribe":true,"listChanged":true}})");
  EXPECT_EQ(result_of(t.asks("initialize")).at("capabilities"), all);
  t.offer = {};
  EXPECT_EQ(result_of(t.asks("initialize")).at("capabilities"), all);
  t.offer.completes = true;
  all.as_object()["completions"] = json::object{};
  EXPECT_EQ(result_of(t.asks("initialize")).at("capabilities"), all);
}

TEST(a_hosted_server, answers_ping_and_refuses_what_it_does_not_know) {
  talk t;
  EXPECT_EQ(t.asks("ping"), answers("{}"));
  EXPECT_EQ(t.asks("tasks/list"), refuses(-32601, "Method not found: tasks/list"));
  EXPECT_EQ(t.asks("completion/complete"), refuses(-32601, "Method not found: completion/complete"));
  EXPECT_EQ(t.notes("notifications/whatever"), hosted_effects{});
  EXPECT_EQ(t.sends(R"({"jsonrpc":"2.0","id":99,"result":{}})"), hosted_effects{});
}

// -- lists ---------------------------------------------------------------------------------

TEST(a_hosted_list, is_told_page_by_page) {
  for (std::size_t more : {0U, 1U, 2U}) {
    talk t;
    t.offer.list(list_kind::tools) = {};
    auto count = hosted_page - 1 + more;
    for (std::size_t i = 0; i < count; ++i)
      t.offer.put(list_kind::tools, {{"name", "t" + std::to_string(i)}});
    auto first = result_of(t.asks("tools/list")).as_object();
    EXPECT_EQ(first.at("tools").as_array().size(), std::min(count, hosted_page));
    ASSERT_EQ(first.contains("nextCursor"), count > hosted_page) << count;
    if (count <= hosted_page)
      continue;
    auto next = result_of(t.asks("tools/list", json::serialize(json::object{{"cursor", first.at("nextCursor")}})));
    EXPECT_EQ(next, json::parse(R"({"tools":[{"name":"t100"}]})"));
  }
}

TEST(a_hosted_list, goes_on_although_the_page_before_has_changed) {
  talk t;
  for (std::size_t i = 0; i <= hosted_page; ++i)
    t.offer.put(list_kind::resources, {{"uri", "u" + std::to_string(i)}});
  auto cursor = result_of(t.asks("resources/list")).at("nextCursor");
  t.offer.list(list_kind::resources).erase("u98");
  t.offer.list(list_kind::resources).erase("u3");
  auto next = result_of(t.asks("resources/list", json::serialize(json::object{{"cursor", cursor}})));
  EXPECT_EQ(next, json::parse(R"({"resources":[{"uri":"u99"},{"uri":"u100"}]})"));
}

TEST(a_hosted_list, refuses_a_cursor_that_is_not_its_own) {
  talk t;
  for (auto bad : {R"({"cursor":"x"})", R"({"cursor":7})", R"({"cursor":""})"})
    EXPECT_EQ(t.asks("prompts/list", bad), refuses(-32602, "Unknown cursor")) << bad;
}

TEST(a_hosted_list, has_what_was_put_again_only_once) {
  talk t;
  t.offer.put(list_kind::tools, parsed(R"({"name":"add","title":"new"})"));
  EXPECT_EQ(t.asks("tools/list"), answers(R"({"tools":[{"name":"add","title":"new"}]})"));
}

TEST(a_hosted_list, that_cannot_be_told_is_an_error) {
  talk t;
  json::value deep = 1;
  for (std::size_t i = 0; i < max_json_depth; ++i)
    deep = json::array{std::move(deep)};
  t.offer.put(list_kind::tools, {{"name", "deep"}, {"inputSchema", std::move(deep)}});
  EXPECT_EQ(t.asks("tools/list"), refuses(-32603, "The answer is no valid JSON"));
}

// -- calls -----------------------------------------------------------------------------------

TEST(a_hosted_tool, is_called_with_its_arguments_and_answers) {
  talk t;
  EXPECT_EQ(t.calls(R"({"a":1})"),
            begins(1, {.is = hosted_call::kind::tool, .item = 1, .name = "add", .arguments = {{"a", 1}}}));
  EXPECT_EQ(t.machine.calls_in_flight(), 1);
  EXPECT_EQ(t.says(1, done), answers("{}"));
  EXPECT_EQ(t.machine.calls_in_flight(), 0);
  EXPECT_EQ(t.says(1, done), hosted_effects{});
}

TEST(a_hosted_tool, that_is_unknown_or_gets_no_object_is_a_protocol_error) {
  talk t;
  EXPECT_EQ(t.asks("tools/call", R"({"name":"sub"})"), refuses(-32602, "Unknown tool: sub"));
  EXPECT_EQ(t.asks("tools/call", R"({"name":7})"), refuses(-32602, "Unknown tool: "));
  for (auto bad : {"[]", "1", "null", "\"a\""})
    EXPECT_EQ(t.calls(bad), refuses(-32602, "The arguments must be an object")) << bad;
}

TEST(a_hosted_tool, is_not_called_with_what_its_schema_forbids) {
  talk t;
  EXPECT_EQ(t.calls("{}"), tool_fails("arguments.a is missing"));
  EXPECT_EQ(t.calls(R"({"a":"1"})"), tool_fails(R"(arguments.a must be of type \"number\")"));
  EXPECT_EQ(t.asks("tools/call", R"({"name":"add"})"), tool_fails("arguments.a is missing"));
}

TEST(a_hosted_call, has_an_id_of_its_own) {
  talk t;
  t.calls(R"({"a":1})");
  EXPECT_EQ(t.calls(R"({"a":1})"), refuses(-32600, "A request with this id is in flight"));
}

TEST(a_hosted_call, that_is_cancelled_has_no_answer) {
  talk t;
  t.calls(R"({"a":1})");
  EXPECT_EQ(t.notes("notifications/cancelled", R"({"requestId":"7"})"), hosted_effects{});
  EXPECT_EQ(t.notes("notifications/cancelled", R"({"requestId":7})"), hosted_effects{cancel_call{1}});
  EXPECT_EQ(t.says(1, done), hosted_effects{});
  EXPECT_EQ(t.notes("notifications/cancelled", R"({"requestId":7})"), hosted_effects{});
}

TEST(a_hosted_call, asks_the_client_under_an_id_of_ours) {
  talk t;
  t.calls(R"({"a":1})");
  auto question = [](const std::string& id) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"elicitation/create"})";
  };
  t.says(1, question("5"));
  EXPECT_EQ(t.says(1, question("6")), hosted_effects{send_client{gateway_message(question("2"))}});
  EXPECT_EQ(t.sends(R"({"jsonrpc":"2.0","id":2,"result":{}})"),
            hosted_effects{(pass_reply{1, gateway_message(R"({"jsonrpc":"2.0","id":6,"result":{}})")})});
  EXPECT_EQ(t.sends(R"({"jsonrpc":"2.0","id":2,"result":{}})"), hosted_effects{});
  EXPECT_EQ(t.says(1, done), (hosted_effects{send_client{cancellation_of("1", "the call is over")},
                                             send_client{gateway_message(done)}}));
}

TEST(a_hosted_call, tells_only_progress_that_is_made) {
  talk t;
  t.calls(R"({"a":1})");
  auto progress = [](const std::string& done) {
    return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":)" + done +
           "}}";
  };
  auto passes = [&](const std::string& done) { return !t.says(1, progress(done)).empty(); };
  EXPECT_EQ(t.says(1, progress("-1")), hosted_effects{send_client{gateway_message(progress("-1"))}});
  EXPECT_FALSE(passes("-1"));
  EXPECT_TRUE(passes("0.5"));
  EXPECT_FALSE(passes("0.25"));
  EXPECT_FALSE(passes("\"1\""));
  EXPECT_TRUE(passes("1"));
  t.sends(R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}})");
  EXPECT_FALSE(t.says(2, progress("1")).empty());
}

TEST(a_hosted_call, logs_at_known_levels_alone) {
  talk t;
  t.calls(R"({"a":1})");
  EXPECT_EQ(t.says(1, R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}})"),
            hosted_effects{});
}

TEST(a_hosted_call, logs_what_the_client_wants_to_hear) {
  talk t;
  t.calls(R"({"a":1})");
  auto log = [](const std::string& level) {
    return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":")" + level + R"(","data":1}})";
  };
  EXPECT_EQ(t.says(1, log("debug")), hosted_effects{send_client{gateway_message(log("debug"))}});
  t.sends(R"({"jsonrpc":"2.0","id":8,"method":"logging/setLevel","params":{"level":"warning"}})");
  EXPECT_EQ(t.says(1, log("notice")), hosted_effects{});
  EXPECT_EQ(t.says(1, log("warning")), hosted_effects{send_client{gateway_message(log("warning"))}});
  EXPECT_EQ(t.asks("logging/setLevel", R"({"level":"loud"})"), refuses(-32600, "A request with this id is in flight"));
  t.says(1, done);
  EXPECT_EQ(t.asks("logging/setLevel", R"({"level":"loud"})"), refuses(-32602, "Unknown log level"));
}

// -- prompts, resources, completions -------------------------------------------------------

TEST(a_hosted_prompt, takes_texts_and_all_that_it_requires) {
  talk t;
  EXPECT_EQ(
      t.asks("prompts/get", R"({"name":"greet","arguments":{"who":"Ada"}})"),
      begins(
          1,
          {.is = hosted_call::kind::prompt, .item = 4, .name = "greet", .arguments = {{"who", "Ada"}}, .about = "d"}));
  t.says(1, done);
  EXPECT_EQ(t.asks("prompts/get", R"({"name":"greet"})"), refuses(-32602, "The argument who is missing"));
  EXPECT_EQ(t.asks("prompts/get", R"({"name":"greet","arguments":{"who":1}})"),
            refuses(-32602, "The argument who must be a string"));
  EXPECT_EQ(t.asks("prompts/get", R"({"name":"x"})"), refuses(-32602, "Unknown prompt: x"));
}

TEST(a_hosted_resource, is_found_by_its_uri_or_by_a_template) {
  talk t;
  EXPECT_EQ(t.asks("resources/read", R"({"uri":"x://one"})"),
            begins(1, {.is = hosted_call::kind::resource, .item = 2, .name = "x://one", .about = "text/plain"}));
  t.says(1, done);
  EXPECT_EQ(
      t.asks("resources/read", R"({"uri":"x://t/a%20b"})"),
      begins(2, {.is = hosted_call::kind::resource, .item = 3, .name = "x://t/a%20b", .arguments = {{"id", "a b"}}}));
  t.says(2, done);
  EXPECT_EQ(t.asks("resources/read", R"({"uri":"x://t/a/b"})"), refuses(-32002, "Resource not found: x://t/a/b"));
}

TEST(a_hosted_resource, is_announced_to_its_subscribers_alone) {
  talk t;
  auto update =
      gateway_message(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://one"}})");
  EXPECT_EQ(t.machine.receive_from_server(update), hosted_effects{});
  EXPECT_EQ(t.asks("resources/subscribe", R"({"uri":"x://one"})"), answers("{}"));
  EXPECT_EQ(t.machine.receive_from_server(update), hosted_effects{send_client{update}});
  EXPECT_EQ(t.asks("resources/unsubscribe", R"({"uri":"x://one"})"), answers("{}"));
  EXPECT_EQ(t.machine.receive_from_server(update), hosted_effects{});
  EXPECT_EQ(t.asks("resources/subscribe", R"({"uri":"y"})"), refuses(-32002, "Resource not found: y"));
}

TEST(hosted_subscriptions_of_a_client, are_bounded_in_number_and_size) {
  talk t;
  auto subscribe = [&](const std::string& id) {
    return t.asks("resources/subscribe", R"({"uri":"x://t/)" + id + "\"}");
  };
  for (std::size_t i = 1; i < hosted_subscriptions; ++i)
    subscribe(std::to_string(i));
  EXPECT_EQ(subscribe("last"), answers("{}"));
  EXPECT_EQ(subscribe("more"), refuses(-32603, std::string{too_many_subscriptions}));
  EXPECT_EQ(subscribe("last"), answers("{}"));
  talk other;
  auto fits = longest_subscribed_uri - std::string{"x://t/"}.size();
  auto long_one = [&](std::size_t size) {
    return other.asks("resources/subscribe", R"({"uri":"x://t/)" + std::string(size, 'a') + "\"}");
  };
  EXPECT_EQ(long_one(fits), answers("{}"));
  EXPECT_EQ(long_one(fits + 1), refuses(-32602, "The URI is too long to be subscribed to"));
}

TEST(a_hosted_server, says_that_a_list_changed_to_whom_is_ready) {
  talk t;
  auto changed = gateway_message(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_EQ(t.machine.receive_from_server(changed), hosted_effects{});
  t.notes("notifications/initialized");
  EXPECT_EQ(t.machine.receive_from_server(changed), hosted_effects{send_client{changed}});
}

TEST(a_hosted_completion, gets_the_whole_question) {
  talk t;
  t.offer.completes = true;
  for (auto bad : {R"({"ref":{"type":"ref/prompt","name":"greet"}})",
                   R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who"}})",
                   R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":1}})"})
    EXPECT_EQ(t.asks("completion/complete", bad),
              refuses(-32602, "A completion has an argument with a name and a value"))
        << bad;
  for (auto bad : {R"({})", R"({"type":"ref/prompt","name":"x"})", R"({"type":"ref/tool","name":"greet"})",
                   R"({"type":"ref/resource","uri":"x://none"})"})
    EXPECT_EQ(
        t.asks("completion/complete", std::string{R"({"argument":{"name":"who","value":"A"},"ref":)"} + bad + "}"),
        refuses(-32602, "A completion has a ref to a prompt or a resource template"))
        << bad;
  auto params = R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"}})";
  EXPECT_EQ(t.asks("completion/complete", params),
            begins(1, {.is = hosted_call::kind::completion, .arguments = parsed(params)}));
  t.says(1, done);
  params = R"({"ref":{"type":"ref/resource","uri":"x://t/{id}"},"argument":{"name":"id","value":""}})";
  EXPECT_EQ(t.asks("completion/complete", params),
            begins(2, {.is = hosted_call::kind::completion, .arguments = parsed(params)}));
}

TEST(a_hosted_completion, tells_at_most_a_hundred_values) {
  for (std::size_t count : {99U, 100U, 101U}) {
    auto result = completion_result(std::vector<std::string>(count, "x")).at("completion").as_object();
    EXPECT_EQ(result.at("values").as_array().size(), std::min<std::size_t>(count, 100));
    EXPECT_EQ(result.at("total").to_number<std::size_t>(), count);
    EXPECT_EQ(result.at("hasMore").as_bool(), count > 100);
  }
}

// -- results -----------------------------------------------------------------------------------

TEST(content, becomes_messages_of_a_prompt) {
  json::array content{parsed(R"({"type":"text","text":"a"})"),
                      parsed(R"({"type":"text","text":"b","role":"assistant"})")};
  EXPECT_EQ(prompt_result("d", content), json::parse(R"({"description":"d","messages":[
      {"role":"user","content":{"type":"text","text":"a"}},
      {"role":"assistant","content":{"type":"text","text":"b"}}]})"));
}

TEST(content, becomes_the_contents_of_a_resource) {
  json::array content{parsed(R"({"type":"text","text":"a"})"),
                      parsed(R"({"type":"image","data":"AA==","mimeType":"image/png"})"),
                      parsed(R"({"type":"resource","resource":{"uri":"v","text":"b"}})")};
  EXPECT_EQ(resource_result("u", "text/x", content), json::parse(R"({"contents":[
      {"uri":"u","mimeType":"text/x","text":"a"},{"uri":"u","mimeType":"image/png","blob":"AA=="},
      {"uri":"v","text":"b"}]})"));
}

TEST(a_result, that_is_no_valid_json_is_an_error) {
  EXPECT_EQ(result_message("7", {{"x", "\xff"}}),
            gateway_message(error_text("7", -32603, "The answer is no valid JSON")));
  EXPECT_EQ(error_message("7", -1, "\xff"), gateway_message(error_text("7", -32603, "The answer is no valid JSON")));
}

} // namespace troupe::tests::hosted_server_test
