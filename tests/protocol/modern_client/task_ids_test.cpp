// Task ids of a 2026-07-28 server are usable only by the caller that received them.

#include "protocol/modern_client/tasks.hpp"

#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::task_ids_test {

namespace {

std::vector<std::string> seal_of_another(std::string_view text) {
  return seal_of_tests("another " + std::string{text});
}
std::vector<std::string> after_change_of_keys(std::string_view text) {
  return {seal_of_another(text).front(), seal_of_tests(text).front()};
}

/// The id for the caller of the tests. Escapes occur in their own test only.
std::string sealed(const std::string& id) { return id + "." + seal_of_tests("task " + id).front(); }

std::string about(const std::string& params) { return modern("1", "tasks/get", params); }
std::string task(const std::string& id) { return R"("taskId":")" + id + "\""; }
std::string created(const std::string& id) { return result("1", R"({"resultType":"task", )" + task(id) + "}"); }

std::string answered_with(const std::string& text, std::string_view method = "tools/call") {
  return with_sealed_task(gateway_message(text), method, seal_of_tests).text;
}
/// The id that the server gets; empty when there is none.
std::string asked_with(const std::string& text, const state_seal& seal = seal_of_tests) {
  auto request = with_unsealed_task(gateway_message(text), seal);
  return request ? request->text : "";
}

} // namespace

TEST(task_ids, are_sealed_where_a_server_tells_them) {
  EXPECT_EQ(answered_with(created("a.b")), created(sealed("a.b")));
  auto old = [](const std::string& id) { return result("1", R"({"resultType":"task","task":{)" + task(id) + "}}"); };
  EXPECT_EQ(answered_with(old("a")), old(sealed("a")));
  auto status = [](const std::string& id) { return result("1", "{" + task(id) + R"(,"status":"working"})"); };
  EXPECT_EQ(answered_with(status("a"), "tasks/get"), status(sealed("a")));
  EXPECT_EQ(answered_with(created(R"(\u0061)")), created(sealed("a")));
}

TEST(task_ids, are_nothing_in_what_is_about_no_task) {
  for (const auto& text :
       {result("1", "{" + task("a") + "}"), result("1", R"({"resultType":"task"})"),
        result("1", R"({"resultType":"task","taskId":7})"), result("1", "7"), error_text("1", -32602, "taskId")})
    EXPECT_EQ(answered_with(text), text);
}

TEST(task_ids, are_of_use_to_their_caller_alone) {
  EXPECT_EQ(asked_with(about(task(sealed("a")))), about(task("a")));
  EXPECT_EQ(asked_with(about(task(sealed("a.b")))), about(task("a.b")));
  EXPECT_EQ(asked_with(about(task(sealed("a"))), after_change_of_keys), about(task("a")));
  EXPECT_EQ(asked_with(about(task(sealed("a"))), seal_of_another), "");
  for (const auto& id : {std::string{"a"}, "b" + sealed("a"), sealed("a") + "0", std::string{"a."}, std::string{}})
    EXPECT_EQ(asked_with(about(task(id))), "") << id;
  EXPECT_EQ(asked_with(about(R"("taskId":7)")), "");
}

TEST(task_ids, are_read_once_for_all) {
  EXPECT_EQ(asked_with(about(task(sealed("a")) + "," + task("b"))), "") << "the server might read the other one";
  EXPECT_EQ(asked_with(about(R"("x":{)" + task("b") + "}," + task(sealed("a")))),
            about(R"("x":{)" + task("b") + "}," + task("a")));
  for (const std::string& text :
       {about(""), request("1", "tasks/get"), std::string{R"({"jsonrpc":"2.0","id":1,"method":"tasks/get"})"}})
    EXPECT_EQ(asked_with(text), text) << "the server says what is wrong with it";
}

// -- leases -----------------------------------------------------------------------------

namespace {

struct task_driver : server_as_modern_driver {
  explicit task_driver(bool seals) : server_as_modern_driver{with(seals)} {
    asks(1000, modern("1", "prompts/list"));
    auto greeting = gateway_message(result("\"face-1\"", R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                                                         R"("serverInfo":{"name":"s","version":"1"}})"));
    greeting.claims_modern = true;
    seen([&](auto& out) { it.server_sent(std::move(greeting), now, out); });
    server(result("1000"));
  }
  static server_as_modern_rules with(bool seals) {
    auto rules = adapter_rules();
    rules.seals_tasks = seals;
    return rules;
  }
};

} // namespace

TEST(lease_of_a_caller, keeps_tasks_from_other_callers) {
  task_driver t{true};
  t.asks(5, modern("1", "tools/call", R"("name":"n")"));
  EXPECT_EQ(t.server(result("5", R"({"resultType":"task","taskId":"a"})")),
            (stateless_effects{answered(5, result("1", R"({"resultType":"task","taskId":")" + sealed("a") + "\"}"))}));
  for (const std::string method : {"tasks/get", "tasks/update", "tasks/cancel", "tasks/result"}) {
    EXPECT_EQ(t.asks(6, modern("2", method, task(sealed("a")))),
              (stateless_effects{asks_server(modern("6", method, task("a")))}));
    EXPECT_EQ(t.server(result("6", R"({"resultType":"complete",)" + task("a") + "}")),
              (stateless_effects{answered(6, result("2", R"({"resultType":"complete",)" + task(sealed("a")) + "}"))}));
    EXPECT_EQ(t.asks(7, modern("3", method, task("a"))),
              (stateless_effects{refused(7, "3", -32602, "Unknown task: it may have ended, or is another caller's")}));
  }
}

TEST(lease_of_a_caller, passes_tasks_as_they_are_where_nobody_is_told_from_others) {
  task_driver t{false};
  t.asks(5, modern("1", "tools/call", R"("name":"n")"));
  const auto created = R"({"resultType":"task","taskId":"a"})";
  EXPECT_EQ(t.server(result("5", created)), (stateless_effects{answered(5, result("1", created))}));
  EXPECT_EQ(t.asks(6, modern("2", "tasks/get", task("a"))),
            (stateless_effects{asks_server(modern("6", "tasks/get", task("a")))}));
}

} // namespace troupe::tests::task_ids_test
