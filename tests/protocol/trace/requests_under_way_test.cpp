#include "protocol/metrics/metrics_page.hpp"
#include "protocol/text/json.hpp"
#include "protocol/trace/requests_under_way.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe::tests::requests_under_way_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

struct timed {
  thread_metrics metrics;
  requests_under_way all{&metrics, std::make_shared<const operation_peer>(operation_peer{"files", "pipe"})};
  time_point now{};

  static message call(int id, const std::string& tool = "read") {
    return gateway_message(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                           R"(,"method":"tools/call","params":{"name":")" + tool + R"("}})");
  }
  static message answer(int id, const std::string& rest) {
    return gateway_message(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + "," + rest + "}");
  }
  void send(message what) { all.sent(what, now); }
  /// How many operations of a tool ended like that.
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

const trace_position some_position{.high = 0x0102, .low = 0x0304, .span = 0x05, .is_sampled = true};

std::string value_of(const span& one, std::string_view name) {
  for (auto& each : one.attributes)
    if (each.name == name)
      return std::get<std::string>(each.value);
  return {};
}

/// Sampled requests, whose spans are told.
struct sampled_requests {
  requests_under_way all{nullptr,
                         std::make_shared<const operation_peer>(operation_peer{"files", "tcp", "mcp.example", 8443})};
  time_point now{};

  void send(const std::string& id) {
    auto request =
        gateway_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":"read"}})");
    request.trace = std::make_shared<const request_trace>(request_trace{.at = some_position});
    all.sent(request, now, span_start{span::kind::client, 0xabc});
    EXPECT_EQ(request.trace->at.span, 0xabcU);
  }
  void send(int id) { send(std::to_string(id)); }
  std::optional<span> send_text(const std::string& text, time_point at) {
    auto what = gateway_message(text);
    return all.sent(what, at);
  }
  std::optional<span> hear(const std::string& text, time_point at) { return all.received(gateway_message(text), at); }
};

} // namespace

// -- metrics -----------------------------------------------------------------------------------

TEST(requests_under_way, measures_from_the_request_to_the_answer) {
  timed t;
  t.send(timed::call(1));
  t.all.received(timed::answer(1, R"("result":{})"), t.now + 3s);
  metrics_page page;
  page.add(t.metrics);
  EXPECT_NE(
      page.text().find("mcp_client_operation_duration_seconds_sum{mcp_method_name=\"tools/call\",gen_ai_tool_name="
                       "\"read\",server=\"files\",network_transport=\"pipe\"} 3\n"),
      std::string::npos);
  EXPECT_EQ(t.all.size(), 0U);
}

TEST(requests_under_way, tells_how_requests_end) {
  timed t;
  for (int id = 1; id <= 6; ++id)
    t.send(timed::call(id));
  t.all.received(timed::answer(1, R"("result":{"content":[],"isError":true})"), t.now);
  t.all.received(timed::answer(2, R"("result":{"isError":false})"), t.now);
  t.all.received(timed::answer(3, R"("error":{"code":-32603,"message":""})"), t.now);
  t.all.received(timed::answer(4, R"("error":{"code":17,"message":""})"), t.now);
  t.send(cancellation_of("5", "why"));
  t.all.end_all({call_outcome::kind::lost}, t.now);
  EXPECT_EQ(t.count("read", "tool_error"), 1);
  EXPECT_EQ(t.count("read", ""), 1);
  EXPECT_EQ(t.count("read", "-32603"), 1);
  EXPECT_EQ(t.count("read", "_OTHER"), 1);
  EXPECT_EQ(t.count("read", "cancelled"), 1);
  EXPECT_EQ(t.count("read", "server_lost"), 1);
}

TEST(requests_under_way, does_not_name_a_tool_that_the_server_does_not_know) {
  timed t;
  t.send(timed::call(1, "guess"));
  t.all.received(timed::answer(1, R"("error":{"code":-32602,"message":"Unknown tool"})"), t.now);
  EXPECT_EQ(t.count("guess", "-32602"), 0);
  EXPECT_EQ(t.count("other", "-32602"), 1);
}

TEST(requests_under_way, takes_answers_in_any_order_and_each_once) {
  timed t;
  t.send(timed::call(7));
  t.send(timed::call(3));
  t.all.received(timed::answer(3, R"("result":{})"), t.now);
  t.all.received(timed::answer(3, R"("result":{})"), t.now);
  t.all.received(timed::answer(8, R"("result":{})"), t.now);
  t.all.received(timed::answer(7, R"("result":{})"), t.now);
  EXPECT_EQ(t.count("read", ""), 2);
}

TEST(requests_under_way, forgets_the_first_of_too_many) {
  timed t;
  for (std::size_t id = 1; id <= requests_under_way::most + 1; ++id)
    t.send(timed::call(static_cast<int>(id)));
  EXPECT_EQ(t.all.size(), requests_under_way::most);
  t.all.received(timed::answer(1, R"("result":{})"), t.now);
  EXPECT_EQ(t.count("read", ""), 0);
  t.all.received(timed::answer(2, R"("result":{})"), t.now);
  EXPECT_EQ(t.count("read", ""), 1);
}

TEST(requests_under_way, does_not_measure_an_id_that_is_not_the_gateways_own) {
  timed t;
  t.send(gateway_message(R"({"jsonrpc":"2.0","id":"face-1","method":"tools/call","params":{"name":"read"}})"));
  EXPECT_EQ(t.all.size(), 0U);
}

// -- spans -------------------------------------------------------------------------------------

TEST(requests_under_way, have_spans_from_the_request_to_the_answer) {
  sampled_requests t;
  t.send(1);
  t.send(2);
  t.send(R"("face-1")");
  auto second = t.hear(R"({"jsonrpc":"2.0","id":2,"result":{}})", t.now + 3s);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->took, 3s);
  EXPECT_EQ(second->is, span::kind::client);
  EXPECT_FALSE(second->is_parent_remote);
  EXPECT_EQ(value_of(*second, "troupe.server"), "files");
  EXPECT_EQ(value_of(*second, "server.address"), "mcp.example");
  EXPECT_EQ(t.all.size(), 2U);
  EXPECT_FALSE(t.hear(R"({"jsonrpc":"2.0","id":2,"result":{}})", t.now));
  EXPECT_FALSE(t.hear(R"({"jsonrpc":"2.0","id":"face-2","result":{}})", t.now));
  EXPECT_TRUE(t.hear(R"({"jsonrpc":"2.0","id":"face-1","result":{}})", t.now));
}

TEST(requests_under_way, end_their_spans_when_they_are_cancelled_or_lost) {
  sampled_requests t;
  t.send(1);
  t.send(2);
  const auto cancel = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  EXPECT_FALSE(t.hear(cancel, t.now)) << "the server cancels a request of its own";
  auto cancelled = t.send_text(cancel, t.now + 1s);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->error, "cancelled");
  auto lost = t.all.end_all({call_outcome::kind::lost}, t.now + 2s);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost.front().error, "server_lost");
  EXPECT_EQ(t.all.size(), 0U);
}

TEST(requests_under_way, forget_the_first_span_of_too_many) {
  sampled_requests t;
  const auto most = static_cast<int>(requests_under_way::most);
  for (int id = 1; id <= most; ++id)
    t.send(id);
  EXPECT_EQ(t.all.size(), requests_under_way::most);
  t.send(most + 1);
  EXPECT_EQ(t.all.size(), requests_under_way::most);
  EXPECT_FALSE(t.hear(R"({"jsonrpc":"2.0","id":1,"result":{}})", t.now));
  EXPECT_TRUE(t.hear(R"({"jsonrpc":"2.0","id":2,"result":{}})", t.now));
}

TEST(requests_under_way, are_measured_and_have_spans_at_once) {
  sampled_requests t;
  thread_metrics metrics;
  t.all = requests_under_way{&metrics, std::make_shared<const operation_peer>(operation_peer{"files", "pipe"})};
  t.send(1);
  t.send_text(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}})", t.now);
  EXPECT_EQ(t.all.size(), 2U);
  EXPECT_TRUE(t.hear(R"({"jsonrpc":"2.0","id":1,"result":{}})", t.now + 1s));
  EXPECT_FALSE(t.hear(R"({"jsonrpc":"2.0","id":2,"result":{}})", t.now + 1s));
  metrics_page page;
  page.add(metrics);
  EXPECT_NE(
      page.text().find("mcp_client_operation_duration_seconds_sum{mcp_method_name=\"tools/call\",gen_ai_tool_name="
                       "\"read\",server=\"files\",network_transport=\"pipe\"} 2\n"),
      std::string::npos);
}

// -- operations --------------------------------------------------------------------------------

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

} // namespace troupe::tests::requests_under_way_test
