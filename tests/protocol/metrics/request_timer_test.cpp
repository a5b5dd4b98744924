#include "protocol/metrics/metrics_page.hpp"
#include "protocol/metrics/request_timer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace troupe::tests::request_timer_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

struct timed {
  thread_metrics metrics;
  request_timer timer{metrics, std::make_shared<const operation_peer>(operation_peer{"files", "pipe"})};
  time_point now{};

  static message call(int id, const std::string& tool = "read") {
    return gateway_message(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                           R"(,"method":"tools/call","params":{"name":")" + tool + R"("}})");
  }
  static message answer(int id, const std::string& rest) {
    return gateway_message(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + "," + rest + "}");
  }
  /// The number of operations of a tool with this outcome.
  long count(const std::string& tool, const std::string& error) const {
    metrics_page page;
    page.add(metrics);
    auto text = page.text();
    auto line = "mcp_client_operation_duration_seconds_count{mcp_method_name=\"tools/call\",gen_ai_tool_name=\"" +
                tool + "\",server=\"files\",network_transport=\"pipe\"" +
                (error.empty() ? "" : ",error_type=\"" + error + "\"") + "} ";
    auto found = text.find(line);
    return found == text.npos ? 0 : std::stol(text.substr(found + line.size()));
  }
};

} // namespace

TEST(request_timer, measures_from_the_request_to_the_answer) {
  timed t;
  t.timer.sent(timed::call(1), t.now);
  t.timer.heard(timed::answer(1, R"("result":{})"), t.now + 3s);
  metrics_page page;
  page.add(t.metrics);
  EXPECT_NE(
      page.text().find("mcp_client_operation_duration_seconds_sum{mcp_method_name=\"tools/call\",gen_ai_tool_name="
                       "\"read\",server=\"files\",network_transport=\"pipe\"} 3\n"),
      std::string::npos);
  EXPECT_EQ(t.timer.size(), 0U);
}

TEST(request_timer, tells_how_requests_end) {
  timed t;
  for (int id = 1; id <= 6; ++id)
    t.timer.sent(timed::call(id), t.now);
  t.timer.heard(timed::answer(1, R"("result":{"content":[],"isError":true})"), t.now);
  t.timer.heard(timed::answer(2, R"("result":{"isError":false})"), t.now);
  t.timer.heard(timed::answer(3, R"("error":{"code":-32603,"message":""})"), t.now);
  t.timer.heard(timed::answer(4, R"("error":{"code":17,"message":""})"), t.now);
  t.timer.sent(gateway_message(cancelled_text("5", "why")), t.now);
  t.timer.end_all({call_outcome::kind::lost}, t.now);
  EXPECT_EQ(t.count("read", "tool_error"), 1);
  EXPECT_EQ(t.count("read", ""), 1);
  EXPECT_EQ(t.count("read", "-32603"), 1);
  EXPECT_EQ(t.count("read", "_OTHER"), 1);
  EXPECT_EQ(t.count("read", "cancelled"), 1);
  EXPECT_EQ(t.count("read", "server_lost"), 1);
}

TEST(request_timer, does_not_name_a_tool_that_the_server_does_not_know) {
  timed t;
  t.timer.sent(timed::call(1, "guess"), t.now);
  t.timer.heard(timed::answer(1, R"("error":{"code":-32602,"message":"Unknown tool"})"), t.now);
  EXPECT_EQ(t.count("guess", "-32602"), 0);
  EXPECT_EQ(t.count("other", "-32602"), 1);
}

TEST(request_timer, takes_answers_in_any_order_and_each_once) {
  timed t;
  t.timer.sent(timed::call(7), t.now);
  t.timer.sent(timed::call(3), t.now);
  t.timer.heard(timed::answer(3, R"("result":{})"), t.now);
  t.timer.heard(timed::answer(3, R"("result":{})"), t.now);
  t.timer.heard(timed::answer(8, R"("result":{})"), t.now);
  t.timer.heard(timed::answer(7, R"("result":{})"), t.now);
  EXPECT_EQ(t.count("read", ""), 2);
}

TEST(request_timer, forgets_the_first_of_too_many) {
  timed t;
  for (std::size_t id = 1; id <= request_timer::most + 1; ++id)
    t.timer.sent(timed::call(static_cast<int>(id)), t.now);
  EXPECT_EQ(t.timer.size(), request_timer::most);
  t.timer.heard(timed::answer(1, R"("result":{})"), t.now);
  EXPECT_EQ(t.count("read", ""), 0);
  t.timer.heard(timed::answer(2, R"("result":{})"), t.now);
  EXPECT_EQ(t.count("read", ""), 1);
}

TEST(operation, names_only_methods_of_mcp_and_their_tools) {
  auto of = [](const std::string& text) { return operation_of(gateway_message(text)); };
  EXPECT_EQ(of(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}})").name, "");
  EXPECT_EQ(of(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}})").method, "resources/read");
  EXPECT_EQ(of(R"({"jsonrpc":"2.0","id":1,"method":"nonsense"})").method, other_label);
  EXPECT_EQ(of(R"({"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"hello"}})").name, "hello");
  EXPECT_EQ(
      of(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + std::string(129, 'x') + R"("}})").name,
      std::string(128, 'x'));
  EXPECT_EQ(of(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})").name, "");
}

} // namespace troupe::tests::request_timer_test
