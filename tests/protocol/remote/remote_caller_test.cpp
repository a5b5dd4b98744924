#include "protocol/remote/remote_caller.hpp"
#include "protocol/trace/trace_position.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <variant>

namespace troupe::tests::remote_caller_test {

using namespace protocol;

namespace {

/// The header of the POST of a message.
http_fields header_of(message what) {
  remote_caller caller{{}};
  remote_effects out;
  caller.post("http://far/mcp", std::move(what), {}, std::chrono::seconds{1}, call_priority::request, out);
  return std::get<send_call>(out.front()).fields;
}

message ping_of(std::shared_ptr<const request_trace> trace) {
  auto result = gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  result.trace = std::move(trace);
  return result;
}

} // namespace

TEST(remote_caller, says_in_the_header_where_a_request_is_in_its_trace) {
  const trace_position at{.high = 1, .low = 2, .span = 3, .is_sampled = true, .state = "a=1", .baggage = "b=2"};
  const auto header = header_of(ping_of(std::make_shared<const request_trace>(request_trace{at})));
  EXPECT_EQ(field_value(header, "traceparent"), "00-00000000000000010000000000000002-0000000000000003-01");
  EXPECT_EQ(field_value(header, "tracestate"), "a=1");
  EXPECT_EQ(field_value(header, "baggage"), "b=2");
}

TEST(remote_caller, says_nothing_of_traces_that_it_does_not_know) {
  const auto nowhere = std::make_shared<const request_trace>();
  for (auto& header : {header_of(ping_of(nullptr)), header_of(ping_of(nowhere))})
    for (auto name : {"traceparent", "tracestate", "baggage"})
      EXPECT_EQ(field_value(header, name), "");
}

} // namespace troupe::tests::remote_caller_test
