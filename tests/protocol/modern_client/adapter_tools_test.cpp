// Properties of tools that the adapter of a session-based server must know before a call.

#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::adapter_tools_test {

namespace {

const std::string has_tools = R"({"tools":{}})";

std::string lists_tools(int own, const std::string& params = "{}") {
  return request("\"face-" + std::to_string(own) + "\"", "tools/list", params);
}

std::string page(int own, const std::string& tools, const std::string& more = "") {
  return result("\"face-" + std::to_string(own) + "\"", R"({"tools":[)" + tools + "]" + more + "}");
}

const std::string region = R"({"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string",)"
                           R"("x-mcp-header":"Region"}}}})";
const std::string task_tool = R"({"name":"t","execution":{"taskSupport":"required"}})";

std::string call_of_tool(std::string id, const std::string& arguments = "{}") {
  return modern(std::move(id), "tools/call", R"("name":"t","arguments":)" + arguments);
}
std::string at_server(std::string id, const std::string& arguments = "{}") {
  return request(std::move(id), "tools/call", R"({"name":"t","arguments":)" + arguments + "}");
}

const std::string changed = note("notifications/tools/list_changed");

/// The code of the only answer; 0 for other effects.
int code_of(const stateless_effects& seen) {
  auto answer = seen.size() == 1 ? std::get_if<send_response>(&seen[0]) : nullptr;
  return answer ? answer->error : 0;
}

// -- tasks -------------------------------------------------------------------------------

std::string task(const std::string& status, const std::string& more = "") {
  return R"({"taskId":"k","status":")" + status + "\"" + more + "}";
}
std::string created(std::string id, const std::string& of) { return result(std::move(id), R"({"task":)" + of + "}"); }
std::string about_task(int own, std::string method) {
  return request("\"face-" + std::to_string(own) + "\"", std::move(method), R"({"taskId":"k"})");
}
std::string own(int number) { return "\"face-" + std::to_string(number) + "\""; }

struct task_driver : server_as_modern_driver {
  explicit task_driver(server_as_modern_rules rules = adapter_rules()) : server_as_modern_driver{std::move(rules)} {
    starts(has_tools);
    asks(5, call_of_tool("7"));
    seen_ = server(page(2, task_tool));
  }
  stateless_effects seen_;
};

} // namespace

TEST(face_tools, are_read_before_the_first_call) {
  server_as_modern_driver t;
  t.starts(has_tools);
  EXPECT_EQ(t.asks(1, modern("1", "prompts/get")), stateless_effects{asks_server(request("1", "prompts/get"))});
  EXPECT_EQ(t.asks(2, call_of_tool("2")), stateless_effects{asks_server(lists_tools(2))});
  EXPECT_EQ(t.asks(3, call_of_tool("3")), stateless_effects{});
  EXPECT_EQ(t.server(page(2, region, R"(,"nextCursor":"\u0063")")),
            stateless_effects{asks_server(lists_tools(3, R"({"cursor":"\u0063"})"))});
  EXPECT_EQ(t.server(page(3, "")), (stateless_effects{asks_server(at_server("2")), asks_server(at_server("3"))}));
  EXPECT_EQ(t.asks(4, call_of_tool("4")), stateless_effects{asks_server(at_server("4"))});
}

TEST(face_tools, are_not_read_of_a_server_without_tools) {
  server_as_modern_driver t;
  t.starts();
  EXPECT_EQ(t.asks(2, call_of_tool("2")), stateless_effects{asks_server(at_server("2"))});
}

TEST(face_tools, have_no_rules_when_they_cannot_be_read_and_are_read_a_while_later) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(2, call_of_tool("2"));
  EXPECT_EQ(t.server(error_text("\"face-2\"", -32601, "no")), stateless_effects{asks_server(at_server("2"))});
  t.after(30s - 1ms);
  EXPECT_EQ(t.asks(4, call_of_tool("4")), stateless_effects{asks_server(at_server("4"))});
  t.after(1ms);
  EXPECT_EQ(t.asks(5, call_of_tool("5")), stateless_effects{asks_server(lists_tools(3))});
  EXPECT_EQ(t.server(page(3, R"({"name":"t"})")), stateless_effects{asks_server(at_server("5"))});
}

TEST(face_tools, are_as_they_were_when_they_cannot_be_read_again) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1"));
  t.server(page(2, region));
  t.server(changed);
  t.asks(2, call_of_tool("2"));
  EXPECT_EQ(t.server(error_text("\"face-3\"", -32601, "no")), stateless_effects{});
  EXPECT_EQ(code_of(t.asks(3, call_of_tool("3", R"({"region":"x"})"))), -32020);
}

TEST(face_tools, are_read_for_so_many_pages_and_no_more) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1"));
  for (auto n = 2; n < 51; ++n)
    ASSERT_EQ(t.server(page(n, "", R"(,"nextCursor":"c")")),
              stateless_effects{asks_server(lists_tools(n + 1, R"({"cursor":"c"})"))});
  EXPECT_EQ(t.server(page(51, "", R"(,"nextCursor":"c")")), stateless_effects{asks_server(at_server("1"))});
}

TEST(face_tools, are_read_again_after_they_have_changed) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1"));
  t.server(page(2, region));
  EXPECT_EQ(code_of(t.asks(2, call_of_tool("2", R"({"region":"x"})"))), -32020);
  EXPECT_EQ(t.server(changed), stateless_effects{});
  auto seen = t.asks(3, call_of_tool("3", R"({"region":"x"})"));
  ASSERT_EQ(seen.size(), 2u) << "meanwhile what was known counts";
  EXPECT_EQ(seen[0], stateless_effect{asks_server(lists_tools(3))});
  EXPECT_EQ(std::get<send_response>(seen[1]).error, -32020);
  EXPECT_EQ(t.asks(4, call_of_tool("4")), stateless_effects{asks_server(at_server("4"))});
  EXPECT_EQ(t.server(page(3, R"({"name":"t"})")), stateless_effects{});
  EXPECT_EQ(t.asks(5, call_of_tool("5", R"({"region":"x"})")),
            stateless_effects{asks_server(at_server("5", R"({"region":"x"})"))});
}

TEST(face_tools, are_read_from_the_beginning_when_they_change_meanwhile) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1"));
  t.server(changed);
  EXPECT_EQ(t.server(page(2, "", R"(,"nextCursor":"c")")), stateless_effects{asks_server(lists_tools(3))});
  EXPECT_EQ(t.server(page(3, "")), stateless_effects{asks_server(at_server("1"))});
}

TEST(face_tools, that_change_all_the_time_hold_up_calls_once_only) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1"));
  t.server(changed);
  EXPECT_EQ(t.server(page(2, "")), stateless_effects{asks_server(lists_tools(3))});
  t.server(changed);
  EXPECT_EQ(t.server(page(3, "")), (stateless_effects{asks_server(lists_tools(4)), asks_server(at_server("1"))}));
  EXPECT_EQ(t.asks(2, call_of_tool("2")), stateless_effects{asks_server(at_server("2"))});
  t.server(changed);
  EXPECT_EQ(t.asks(3, call_of_tool("3")), stateless_effects{asks_server(at_server("3"))});
}

TEST(face_tools, are_learned_from_pages_that_pass) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1"));
  t.server(page(2, R"({"name":"t"})"));
  t.asks(2, modern("2", "tools/list"));
  t.server(result("2", R"({"tools":[)" + region + "]}"));
  EXPECT_EQ(code_of(t.asks(3, call_of_tool("3", R"({"region":"x"})"))), -32020);
}

TEST(face_tools, refuse_a_retry_whose_header_fields_say_something_else) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1", R"({"region":"x"})"));
  t.server(page(2, R"({"name":"t"})"));
  t.server(question("1"));
  t.asks(2, modern("2", "tools/list"));
  t.server(result("2", R"({"tools":[)" + region + "]}"));
  EXPECT_EQ(code_of(t.asks(
                3, modern("3", "tools/call",
                          R"("name":"t","arguments":{"region":"x"},)" + retry_members(1, 1, R"("q1":)" + accepted)))),
            -32020);
  EXPECT_EQ(t.it.parked_calls(), 1u);
}

TEST(face_tools, are_read_of_each_server_anew) {
  server_as_modern_driver t;
  t.starts(has_tools);
  t.asks(1, call_of_tool("1"));
  t.server(page(2, region));
  t.lost();
  t.asks(2, call_of_tool("2"));
  auto seen = t.server(result("\"face-3\"", R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})"));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1], stateless_effect{asks_server(lists_tools(4))});
}

// -- tools that only work as tasks -------------------------------------------------------

TEST(face_tasks, are_run_for_clients_that_know_no_tasks) {
  task_driver t;
  EXPECT_EQ(t.seen_,
            stateless_effects{asks_server(request("5", "tools/call", R"({"name":"t","arguments":{},"task":{}})"))});
  EXPECT_EQ(t.server(created("5", task("working", R"(,"pollInterval":2000)"))), stateless_effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 2s);
  EXPECT_EQ(t.after(1999ms), stateless_effects{});
  EXPECT_EQ(t.after(1ms), stateless_effects{asks_server(about_task(3, "tasks/get"))});
  EXPECT_EQ(t.it.deadline(), t.now - 2s + 30min);
  EXPECT_EQ(t.server(result(own(3), task("working"))), stateless_effects{});
  EXPECT_EQ(t.after(1s), stateless_effects{asks_server(about_task(4, "tasks/get"))});
  EXPECT_EQ(t.server(result(own(4), task("completed"))), stateless_effects{asks_server(about_task(5, "tasks/result"))});
  EXPECT_EQ(t.server(result(own(5), R"({"content":[]})")),
            stateless_effects{answered(5, result("7", R"({"content":[],)" + complete + "}"))});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(face_tasks, are_asked_about_no_more_often_and_no_more_seldom_than_is_sensible) {
  for (auto [wanted, pause] : {std::pair{"499", 500ms}, std::pair{"500", 500ms}, std::pair{"501", 501ms},
                               std::pair{"29999", 29999ms}, std::pair{"30000", 30000ms}, std::pair{"30001", 30000ms},
                               std::pair{"1e300", 30000ms}, std::pair{"-1", 500ms}, std::pair{"\"x\"", 1000ms}}) {
    task_driver t;
    t.server(created("5", task("working", R"(,"pollInterval":)" + std::string{wanted})));
    EXPECT_EQ(t.it.deadline(), t.now + pause) << wanted;
  }
}

TEST(face_tasks, give_their_result_at_once_when_they_are_done_or_need_the_client) {
  for (auto status : {"completed", "failed", "input_required"}) {
    task_driver t;
    EXPECT_EQ(t.server(created("5", task(status))), stateless_effects{asks_server(about_task(3, "tasks/result"))});
    EXPECT_EQ(t.server(failed(own(3), "no")), stateless_effects{refused(5, "7", -32603, "no")});
  }
}

TEST(face_tasks, fail_when_the_server_does_not_know_them) {
  task_driver t;
  t.server(created("5", task("working")));
  t.after(1s);
  EXPECT_EQ(t.server(error_text(own(3), -32602, "no")), stateless_effects{refused(5, "7", -32602, "no")});
}

TEST(face_tasks, may_be_answered_like_other_calls) {
  task_driver t;
  EXPECT_EQ(t.server(result("5", R"({"content":[]})")),
            stateless_effects{answered(5, result("7", R"({"content":[],)" + complete + "}"))});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(face_tasks, are_cancelled_when_the_client_closes_the_exchange) {
  task_driver t;
  t.server(created("5", task("working")));
  EXPECT_EQ(t.closes(5), stateless_effects{asks_server(about_task(3, "tasks/cancel"))});
  EXPECT_EQ(t.server(result(own(3), task("cancelled"))), stateless_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(face_tasks, are_cancelled_once_they_have_a_name) {
  task_driver t;
  EXPECT_EQ(t.closes(5), stateless_effects{});
  EXPECT_EQ(t.server(created("5", task("working"))), stateless_effects{asks_server(about_task(3, "tasks/cancel"))});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(face_tasks, count_as_calls_while_they_are_cancelled_without_a_name) {
  auto rules = adapter_rules();
  rules.calls = 2;
  task_driver t{rules};
  t.closes(5);
  t.asks(6, modern("1", "m"));
  EXPECT_EQ(t.asks(7, modern("1", "m")),
            stateless_effects{refused(7, "1", -32603, "Too many requests are under way: try again later")});
  t.server(created("5", task("working")));
  EXPECT_EQ(t.asks(8, modern("1", "m")), stateless_effects{asks_server(request("8", "m"))});
}

TEST(face_tasks, end_after_half_an_hour) {
  const auto late = "The tool's task did not end in time";
  task_driver t;
  t.server(created("5", task("input_required")));
  EXPECT_EQ(t.after(30min - 1ms), stateless_effects{});
  EXPECT_EQ(t.after(1ms),
            (stateless_effects{asks_server(about_task(4, "tasks/cancel")), refused(5, "7", -32603, late)}));
  EXPECT_TRUE(t.it.is_idle());
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(face_tasks, end_after_half_an_hour_without_a_name) {
  task_driver t, closed;
  closed.closes(5);
  EXPECT_EQ(t.after(30min), (stateless_effects{asks_server(cancellation_of("5", "The task did not begin in time").text),
                                               refused(5, "7", -32603, "The tool's task did not end in time")}));
  EXPECT_EQ(closed.after(30min), stateless_effects{});
  for (auto* one : {&t, &closed}) {
    EXPECT_EQ(one->it.deadline(), time_point::max());
    EXPECT_EQ(one->server(created("5", task("working"))), stateless_effects{});
  }
}

TEST(face_tasks, drop_an_answer_that_comes_after_the_client_has_gone) {
  task_driver t;
  t.server(created("5", task("working")));
  t.after(1s);
  t.closes(5);
  EXPECT_EQ(t.server(result(own(3), task("completed"))), stateless_effects{});
}

TEST(face_tasks, can_be_parked) {
  task_driver t;
  t.server(created("5", task("input_required")));
  EXPECT_EQ(
      t.server(question("1")),
      stateless_effects{input_required(
          5, "7", R"("q1":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}})", 5, 1)});
  EXPECT_EQ(t.server(result(own(3), R"({"content":[]})")),
            stateless_effects{asks_server(result("1", R"({"action":"cancel"})"))});
  EXPECT_EQ(t.asks(6, modern("8", "tools/call", R"("name":"t","arguments":{},)" + retry_members(5, 1, ""))),
            stateless_effects{answered(6, result("8", R"({"content":[],)" + complete + "}"))});
}

} // namespace troupe::tests::adapter_tools_test
