// 2026-07-28, multi round-trip requests: client input that a server requests during a call.

#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::input_rounds_test {

namespace {

const std::string form = R"({"method":"elicitation/create","params":{"mode":"form","message":"m"}})";
const std::string sample = R"({"method":"sampling/createMessage","params":{"maxTokens":1}})";
const std::string tool_call = request("9", "tools/call", R"({"name":"n"})");

std::string needs(std::string id, std::string members) {
  return result(std::move(id), R"({"resultType":"input_required",)" + members + "}");
}
std::string needs_input(std::string id, std::string requests, std::string state = R"("s 1")") {
  return needs(std::move(id), R"("inputRequests":)" + requests + R"(,"requestState":)" + state);
}
std::string question(std::string id, std::string method, std::string members) {
  return request(id, std::move(method), "{" + members + R"("_meta":{"progressToken":)" + id + "}}");
}
std::string form_question(std::string id) {
  return question(std::move(id), "elicitation/create", R"("mode":"form","message":"m",)");
}
std::string retry(std::string id, std::string members) {
  return enveloped(std::move(id), "tools/call", R"(,"name":"n")" + members);
}
std::string tool_failed(std::string why) {
  return result("9", R"({"content":[{"type":"text","text":)" + troupe::protocol::quoted(why) + R"(}],"isError":true})");
}
std::string withdrawn(std::string id) { return cancellation_of(id, "The call needs no answer any more").text; }

} // namespace

TEST(input_rounds, asks_the_client_all_at_once_and_the_server_again) {
  server_as_legacy_driver t;
  t.opened();
  t.user(tool_call);
  EXPECT_EQ(t.server(needs_input("1", R"({"a":)" + form + R"(,"b":)" + sample + R"(,"c":{"method":"roots/list"}})")),
            (adapter_effects{shows_user(form_question("1"), "9"),
                             shows_user(question("2", "sampling/createMessage", R"("maxTokens":1,)"), "9"),
                             shows_user(question("3", "roots/list", ""), "9")}));
  EXPECT_EQ(t.user(result("2", R"({"role":"x"})")), adapter_effects{});
  EXPECT_EQ(t.user(result("\"1\"", R"({"action": "accept"})")), adapter_effects{});
  EXPECT_EQ(t.user(result("3", R"({"roots":[]})")),
            adapter_effects{asks(retry("2", R"(,"inputResponses":{"b":{"role":"x"},"a":{"action": "accept"},)"
                                            R"("c":{"roots":[]}},"requestState":"s 1")"))});
  EXPECT_EQ(t.user(result("3")), adapter_effects{});
  EXPECT_EQ(t.server(result("2", R"({"resultType":"complete","content":[]})")),
            adapter_effects{shows_user(result("9", R"({"content":[]})"))});
}

TEST(input_rounds, gives_the_state_back_as_it_was) {
  server_as_legacy_driver t;
  t.opened();
  t.user(tool_call);
  t.server(needs_input("1", R"({"a":)" + form + "}", R"("\u0041\/\"")"));
  EXPECT_EQ(t.user(result("1")),
            adapter_effects{asks(retry("2", R"(,"inputResponses":{"a":{}},"requestState":"\u0041\/\"")"))});
  t.server(needs("2", R"("inputRequests":{"a":)" + form + "}"));
  EXPECT_EQ(t.user(result("2")), adapter_effects{asks(retry("3", R"(,"inputResponses":{"a":{}})"))});
}

TEST(input_rounds, pauses_when_nothing_is_asked) {
  for (const std::string requests : {"", R"("inputRequests":{},)"}) {
    server_as_legacy_driver t;
    t.opened();
    t.user(tool_call);
    EXPECT_EQ(t.server(needs("1", requests + R"("requestState":"s")")), adapter_effects{});
    EXPECT_EQ(t.it.deadline(), t.now + 250ms);
    EXPECT_EQ(t.after(250ms - 1ns), adapter_effects{});
    EXPECT_EQ(t.after(1ns), adapter_effects{asks(retry("2", R"(,"requestState":"s")"))});
    EXPECT_EQ(t.it.deadline(), time_point::max());
  }
}

TEST(input_rounds, asks_a_server_eight_times_at_most) {
  server_as_legacy_driver t;
  t.opened();
  t.user(tool_call);
  for (auto own = 1; own < 8; ++own) {
    t.server(needs_input(std::to_string(own), R"({"a":)" + form + "}"));
    EXPECT_EQ(t.user(result(std::to_string(own))).size(), 1u);
  }
  EXPECT_EQ(
      t.server(needs_input("8", R"({"a":)" + form + "}")),
      adapter_effects{shows_user(tool_failed("The MCP server asked for input more often than 8 times for one call"))});
}

TEST(input_rounds, gives_urls_an_id_that_no_other_has) {
  server_as_legacy_driver t;
  t.opened("{}", hello("0", "2025-11-25", R"({"elicitation":{"url":{}}})"));
  t.user(tool_call);
  const std::string url = R"({"method":"elicitation/create","params":{"mode":"url","url":"u"}})";
  EXPECT_EQ(t.server(needs_input("1", R"({"a":)" + url + R"(,"b":)" + url + "}")),
            (adapter_effects{
                shows_user(request("1", "elicitation/create",
                                   R"({"mode":"url","url":"u","_meta":{"progressToken":1},"elicitationId":"mark-1"})"),
                           "9"),
                shows_user(request("2", "elicitation/create",
                                   R"({"mode":"url","url":"u","_meta":{"progressToken":2},"elicitationId":"mark-2"})"),
                           "9")}));
}

TEST(input_rounds, asks_nothing_when_one_question_cannot_be_asked) {
  server_as_legacy_driver t;
  t.opened("{}", hello("0", "2025-11-25", R"({"elicitation":{}})"));
  t.user(tool_call);
  EXPECT_EQ(t.server(needs_input("1", R"({"a":)" + form + R"(,"b":)" + sample + "}")),
            adapter_effects{shows_user(tool_failed("The MCP server needs input that this client cannot be asked for: "
                                                   R"(sampling/createMessage needs {"sampling":{}})"))});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(input_rounds, fails_what_is_no_question) {
  for (const std::string requests : {R"({"a":{"method":"tools/list"}})", R"({"a":1})", R"({"a":{}})"}) {
    server_as_legacy_driver t;
    t.opened();
    t.user(tool_call);
    EXPECT_EQ(t.server(needs_input("1", requests)),
              adapter_effects{shows_user(tool_failed("The MCP server asked for input in a way that is not known"))});
  }
  for (const std::string members : {R"("x":1)", R"("inputRequests":[])", R"("requestState":1)"}) {
    server_as_legacy_driver t;
    t.opened();
    t.user(tool_call);
    EXPECT_EQ(t.server(needs("1", members)),
              adapter_effects{shows_user(tool_failed("The MCP server asked for input without saying for what"))});
  }
}

TEST(input_rounds, asks_sixty_four_questions_at_once_at_most) {
  auto asked = [](int count) {
    server_as_legacy_driver t;
    t.opened();
    t.user(tool_call);
    std::string requests = R"({"0":)" + form;
    for (auto i = 1; i < count; ++i)
      requests += ",\"" + std::to_string(i) + "\":" + form;
    return t.server(needs_input("1", requests + "}"));
  };
  EXPECT_EQ(asked(63).size(), 63u);
  EXPECT_EQ(asked(64).size(), 64u);
  EXPECT_EQ(asked(65),
            adapter_effects{shows_user(tool_failed("The MCP server asked for more than 64 inputs at once"))});
}

TEST(input_rounds, ends_with_the_first_question_that_is_refused) {
  server_as_legacy_driver t;
  t.opened();
  t.user(tool_call);
  t.server(needs_input("1", R"({"a":)" + form + R"(,"b":)" + sample + "}"));
  EXPECT_EQ(t.user(error("2", -1)),
            (adapter_effects{shows_user(withdrawn("1")),
                             shows_user(tool_failed("The client refused what the MCP server asked it for: no"))}));
  EXPECT_EQ(t.user(result("1")), adapter_effects{});
}

TEST(input_rounds, fails_other_requests_than_calls_with_an_error) {
  for (const std::string method : {"prompts/get", "resources/read"}) {
    server_as_legacy_driver t;
    t.opened();
    t.user(request("9", method));
    t.server(needs_input("1", R"({"a":)" + form + "}"));
    EXPECT_EQ(t.user(error("1", -1)),
              adapter_effects{shows_user(failed("9", "The client refused what the MCP server asked it for: no"))});
  }
}

TEST(input_rounds, waits_ten_minutes_for_each_answer_or_progress) {
  server_as_legacy_driver t;
  t.opened();
  t.user(tool_call);
  t.server(needs_input("1", R"({"a":)" + form + R"(,"b":)" + sample + "}"));
  EXPECT_EQ(t.after(599s), adapter_effects{});
  t.user(progress("1"));
  t.user(progress("7"));
  EXPECT_EQ(t.after(1s - 1ns), adapter_effects{});
  EXPECT_EQ(t.after(1ns),
            (adapter_effects{
                shows_user(withdrawn("1")), shows_user(withdrawn("2")),
                shows_user(tool_failed("The client did not answer within 600 s what the MCP server asked it for"))}));
}

TEST(input_rounds, ends_when_the_call_is_cancelled) {
  server_as_legacy_driver t;
  t.opened();
  t.user(tool_call);
  t.server(needs_input("1", R"({"a":)" + form + R"(,"b":)" + sample + "}"));
  t.user(result("1"));
  EXPECT_EQ(t.user(cancelled("9")), adapter_effects{shows_user(withdrawn("2"))});
  EXPECT_EQ(t.user(result("2")), adapter_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(input_rounds, keeps_no_more_bytes_than_it_may) {
  const std::string state = R"("s 1")", key = R"("a")", answer = R"({"action":"accept"})";
  auto all = tool_call.size() + state.size() + key.size() + answer.size();
  auto failure = shows_user(tool_failed("Too many bytes are under way: try again later"));
  for (auto room : {all - 1, all, all + 1}) {
    server_as_legacy_driver t{
        {.known = server_era::stateless, .name = "server", .mark = "mark", .waiting_bytes = room}};
    t.opened();
    for (auto own : {1, 3}) {
      t.user(tool_call);
      EXPECT_EQ(t.server(needs_input(std::to_string(own), R"({"a":)" + form + "}")).size(), 1u);
      auto told = t.user(result(std::to_string(own / 2 + 1), answer));
      if (room < all) {
        EXPECT_EQ(told, adapter_effects{failure});
        break;
      }
      EXPECT_EQ(told, adapter_effects{asks(retry(std::to_string(own + 1), R"(,"inputResponses":{"a":)" + answer +
                                                                              R"(},"requestState":"s 1")"))});
      t.server(error(std::to_string(own + 1), -1));
    }
  }
  for (auto room : {tool_call.size() + state.size() - 1, tool_call.size() + state.size() + key.size() - 1}) {
    server_as_legacy_driver t{
        {.known = server_era::stateless, .name = "server", .mark = "mark", .waiting_bytes = room}};
    t.opened();
    t.user(tool_call);
    EXPECT_EQ(t.server(needs_input("1", R"({"a":)" + form + "}")), adapter_effects{failure});
    EXPECT_EQ(t.it.deadline(), time_point::max());
  }
}

} // namespace troupe::tests::input_rounds_test
