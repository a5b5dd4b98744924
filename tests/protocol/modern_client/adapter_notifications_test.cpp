// Progress and log messages of a session-based server, on the exchanges of their requests.

#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::adapter_notifications_test {

namespace {

const std::string logs = R"({"logging":{},"prompts":{}})";

std::string sets_level(int own, const std::string& level) {
  return request("\"face-" + std::to_string(own) + "\"", "logging/setLevel", R"({"level":")" + level + "\"}");
}

std::string log(const std::string& level) {
  return note("notifications/message", R"({"level":")" + level + R"(","data": "x"})");
}

} // namespace

TEST(adapter_notifications, pass_progress_with_the_clients_token) {
  server_as_modern_driver t;
  t.starts();
  EXPECT_EQ(t.asks(5, modern("1", "m", "", R"("progressToken":"t")")),
            stateless_effects{asks_server(request("5", "m", R"({"_meta":{"progressToken":5}})"))});
  EXPECT_EQ(t.server(progress("5")), (stateless_effects{send_notification{5, progress("\"t\"")}}));
  EXPECT_EQ(t.server(progress("6")), stateless_effects{});
  t.server(result("5"));
  EXPECT_EQ(t.server(progress("5")), stateless_effects{});
}

TEST(adapter_notifications, pass_no_progress_to_a_call_that_wants_none) {
  server_as_modern_driver t;
  t.starts();
  t.asks(5, modern("1", "m"));
  EXPECT_EQ(t.server(progress("5")), stateless_effects{});
}

TEST(adapter_notifications, pass_no_progress_while_parked_and_then_with_the_token_of_the_retry) {
  server_as_modern_driver t;
  t.starts();
  t.asks(5, modern("1", "prompts/get", R"("name":"p")", R"("progressToken":"t")"));
  t.server(question("1"));
  EXPECT_EQ(t.server(progress("5")), stateless_effects{});
  t.asks(6, modern("1", "prompts/get", R"("name":"p",)" + retry_members(5, 1, R"("q1":)" + accepted),
                   R"("progressToken":8)"));
  EXPECT_EQ(t.server(progress("5")), (stateless_effects{send_notification{6, progress("8")}}));
}

TEST(adapter_notifications, tell_the_server_the_most_verbose_level_before_the_request) {
  server_as_modern_driver t;
  t.starts(logs);
  EXPECT_EQ(t.asks(1, modern("1", "m")), stateless_effects{asks_server(request("1", "m"))});
  EXPECT_EQ(t.asks(2, modern("2", "m"), severity::warning),
            (stateless_effects{asks_server(sets_level(2, "warning")), asks_server(request("2", "m"))}));
  EXPECT_EQ(t.asks(3, modern("3", "m"), severity::error), stateless_effects{asks_server(request("3", "m"))});
  EXPECT_EQ(t.asks(4, modern("4", "m"), severity::debug),
            (stateless_effects{asks_server(sets_level(3, "debug")), asks_server(request("4", "m"))}));
  EXPECT_EQ(t.server(result("4")),
            (stateless_effects{answered(4, result("4", "{" + complete + "}")), asks_server(sets_level(4, "warning"))}));
  EXPECT_EQ(t.closes(2), (stateless_effects{asks_server(cancellation_of("2", "The client closed its request").text),
                                            asks_server(sets_level(5, "error"))}));
  EXPECT_EQ(t.server(result("3")), stateless_effects{answered(3, result("3", "{" + complete + "}"))});
  EXPECT_EQ(t.server(error_text("\"face-2\"", -32602, "no")), stateless_effects{});
}

TEST(adapter_notifications, tell_a_server_no_level_that_has_no_logging) {
  server_as_modern_driver t;
  t.starts();
  EXPECT_EQ(t.asks(1, modern("1", "m"), severity::debug), stateless_effects{asks_server(request("1", "m"))});
}

TEST(adapter_notifications, tell_a_new_server_the_level_again) {
  server_as_modern_driver t;
  t.starts(logs);
  t.asks(1, modern("1", "m"), severity::debug);
  t.lost();
  t.asks(2, modern("2", "m"), severity::debug);
  auto seen = t.server(result("\"face-3\"", R"({"protocolVersion":"2025-11-25","capabilities":{"logging":{}}})"));
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1], (stateless_effect{asks_server(sets_level(4, "debug"))}));
}

TEST(adapter_notifications, pass_logs_that_are_severe_enough) {
  server_as_modern_driver t;
  t.starts(logs);
  t.asks(1, modern("1", "m"), severity::warning);
  EXPECT_EQ(t.server(log("notice")), stateless_effects{});
  EXPECT_EQ(t.server(log("warning")), (stateless_effects{send_notification{1, log("warning")}}));
  EXPECT_EQ(t.server(log("emergency")), (stateless_effects{send_notification{1, log("emergency")}}));
  EXPECT_EQ(t.server(log("odd")), stateless_effects{});
  EXPECT_EQ(t.server(note("notifications/message")), stateless_effects{});
}

TEST(adapter_notifications, pass_logs_to_nobody_who_did_not_ask) {
  server_as_modern_driver t;
  t.starts(logs);
  t.asks(1, modern("1", "m"));
  EXPECT_EQ(t.server(log("emergency")), stateless_effects{});
}

TEST(adapter_notifications, pass_logs_only_while_the_server_works_on_one_call) {
  server_as_modern_driver t;
  t.starts(logs);
  t.asks(1, modern("1", "m"), severity::info);
  t.calls(2);
  EXPECT_EQ(t.server(log("error")), stateless_effects{});
  t.server(question("1"));
  EXPECT_EQ(t.server(log("error")), stateless_effects{}) << "may be of the one that is parked";
  t.server(result("2"));
  EXPECT_EQ(t.server(log("error")), (stateless_effects{send_notification{1, log("error")}}));
  t.server(result("1"));
  EXPECT_EQ(t.server(log("error")), stateless_effects{});
}

TEST(adapter_notifications, have_the_level_of_the_retry) {
  server_as_modern_driver t;
  t.starts(logs);
  t.asks(5, modern("1", "prompts/get", R"("name":"p")"), severity::error);
  t.server(question("1"));
  auto retry = modern("1", "prompts/get", R"("name":"p",)" + retry_members(5, 1, R"("q1":)" + accepted));
  EXPECT_EQ(t.asks(6, retry, severity::info),
            (stateless_effects{asks_server(sets_level(3, "info")), asks_server(result("1", accepted))}));
  EXPECT_EQ(t.server(log("info")), (stateless_effects{send_notification{6, log("info")}}));
}

} // namespace troupe::tests::adapter_notifications_test
