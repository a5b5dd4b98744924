#include "protocol/trace/message_trace.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::message_trace_test {

using namespace protocol;

namespace {

const std::string of_meta = "00-11111111111111111111111111111111-2222222222222222-01";
const std::string of_header = "00-33333333333333333333333333333333-4444444444444444-01";
const std::string unsampled = "00-11111111111111111111111111111111-2222222222222222-00";

message call_with(const std::string& params) {
  return gateway_message(R"({"jsonrpc":"2.0","id":7,"method":"tools/call")" +
                         (params.empty() ? "" : ",\"params\":" + params) + "}");
}
message call_with_meta(const std::string& members) { return call_with(R"({"name":"add","_meta":{)" + members + "}}"); }
std::string meta_member(const std::string& name, const std::string& value) {
  return "\"" + name + "\":\"" + value + "\"";
}

using header = std::vector<http_field>;

std::shared_ptr<const request_trace> traced(const message& request, const header& fields = {},
                                            const sampler& chosen = sampler{}, bool is_anonymous_remote = false) {
  std::array<std::byte, 16> random{};
  random.fill(std::byte{0xab});
  http_request in;
  in.fields = fields;
  return std::make_shared<const request_trace>(trace_of(request, in, chosen, random, is_anonymous_remote));
}

/// The text of the forwarded request.
std::string passed_on(message request, const std::string& parent, const std::string& state = {},
                      const std::string& baggage = {}) {
  auto at = *read_traceparent(parent);
  at.state = state;
  at.baggage = baggage;
  request.trace = std::make_shared<const request_trace>(request_trace{at});
  write_trace(request);
  EXPECT_EQ(request.text.substr(request.id_at.at, request.id_at.size), "7") << request.text;
  return request.text;
}

std::string params_in(const std::string& text) { return std::string{find_member(text, {"params"}).value_or("")}; }

} // namespace

// -- origin of a request ---------------------------------------------------------------------

TEST(message_trace, is_that_of_the_header) {
  auto one =
      traced(call_with("{}"),
             {{"Traceparent", " " + of_header}, {"tracestate", "a=1"}, {"TRACESTATE", "b=2"}, {"baggage", "user=x"}});
  EXPECT_EQ(traceparent_text(one->at), of_header);
  EXPECT_EQ(one->at.state, "a=1,b=2");
  EXPECT_EQ(one->at.baggage, "user=x");
  EXPECT_FALSE(one->is_in_text);
}

TEST(message_trace, begins_anew_for_strangers_whatever_they_say) {
  for (const auto& request : {call_with("{}"), call_with_meta(meta_member("traceparent", of_meta))}) {
    const header fields{{"traceparent", of_header}, {"tracestate", "a=1"}};
    for (auto share : {0.0, 1.0}) {
      auto one = traced(request, fields, sampler{share}, true);
      EXPECT_EQ(one->at.is_sampled, share == 1);
      EXPECT_EQ(traceparent_text(one->at).substr(3, 32), traceparent_text(traced(call_with("{}"))->at).substr(3, 32));
      EXPECT_EQ(one->at.state, "");
      EXPECT_FALSE(one->is_in_text);
    }
  }
}

TEST(message_trace, is_that_of_the_meta_before_that_of_the_header) {
  auto one =
      traced(call_with_meta(meta_member("traceparent", of_meta)), {{"traceparent", of_header}, {"tracestate", "a=1"}});
  EXPECT_EQ(traceparent_text(one->at), of_meta);
  EXPECT_EQ(one->at.state, "") << "it is of another trace";
  EXPECT_TRUE(one->is_in_text);
}

TEST(message_trace, is_that_of_the_header_when_that_of_the_meta_is_invalid) {
  auto one = traced(call_with_meta(meta_member("traceparent", "00-1") + "," + meta_member("tracestate", "a=1")),
                    {{"traceparent", of_header}});
  EXPECT_EQ(traceparent_text(one->at), of_header);
  EXPECT_EQ(one->at.state, "");
}

TEST(message_trace, begins_anew_when_nobody_has_begun_it) {
  for (auto& fields :
       {header{}, header{{"traceparent", "00-1"}}, header{{"traceparent", of_header}, {"traceparent", of_header}}}) {
    auto one = traced(call_with("{}"), fields);
    EXPECT_EQ(trace_id_text(one->at), "abababababababababababababababab");
    EXPECT_EQ(one->at.span, 0U);
    EXPECT_TRUE(one->at.is_sampled);
  }
}

TEST(message_trace, names_servers_a_span_when_it_begins_and_is_not_sampled) {
  auto one = traced(call_with("{}"), {}, sampler{0});
  EXPECT_FALSE(one->at.is_sampled);
  EXPECT_NE(one->at.span, 0U);
}

TEST(message_trace, takes_baggage_without_a_trace) {
  EXPECT_EQ(traced(call_with("{}"), {{"baggage", "a=1"}})->at.baggage, "a=1");
  EXPECT_EQ(traced(call_with_meta(meta_member("baggage", "b=2")), {{"baggage", "a=1"}})->at.baggage, "b=2");
}

TEST(message_trace, drops_what_could_be_a_field_of_its_own) {
  auto one =
      traced(call_with_meta(meta_member("traceparent", of_meta) + "," + meta_member("tracestate", "a=1\\r\\nX: y")));
  EXPECT_EQ(one->at.state, "");
}

TEST(message_trace, says_what_the_text_says_unless_it_is_decided_otherwise) {
  auto request = call_with_meta(meta_member("traceparent", of_meta));
  EXPECT_TRUE(traced(request)->is_in_text);
  EXPECT_FALSE(traced(request, {}, sampler(0, false))->is_in_text);
}

// -- messages to servers -----------------------------------------------------------------------

TEST(message_trace, is_written_where_there_are_no_params) {
  EXPECT_EQ(passed_on(call_with(""), unsampled),
            R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"traceparent":")" + unsampled +
                "\"}}}");
}

TEST(message_trace, is_written_where_there_is_no_meta) {
  EXPECT_EQ(params_in(passed_on(call_with("{}"), of_meta)), R"({"_meta":{"traceparent":")" + of_meta + "\"}}");
  EXPECT_EQ(params_in(passed_on(call_with(R"({"name":"add"})"), of_meta, "a=1", "b=2")),
            R"({"_meta":{"traceparent":")" + of_meta + R"(","tracestate":"a=1","baggage":"b=2"},"name":"add"})");
}

TEST(message_trace, is_written_beside_what_else_the_meta_has) {
  EXPECT_EQ(params_in(passed_on(call_with(R"({"_meta":{}})"), of_meta)),
            R"({"_meta":{"traceparent":")" + of_meta + "\"}}");
  EXPECT_EQ(params_in(passed_on(call_with_meta(R"("progressToken":"p")"), of_meta)),
            R"({"name":"add","_meta":{"traceparent":")" + of_meta + R"(","progressToken":"p"}})");
}

TEST(message_trace, is_written_instead_of_what_the_client_has_said) {
  auto request =
      call_with_meta(R"("a":1,)" + meta_member("traceparent", of_header) + "," + meta_member("tracestate", "x=1"));
  EXPECT_EQ(params_in(passed_on(request, of_meta)),
            R"({"name":"add","_meta":{"a":1,"traceparent":")" + of_meta + R"(","tracestate":""}})");
}

TEST(message_trace, finds_a_meta_whose_name_has_escapes) {
  EXPECT_EQ(params_in(passed_on(call_with(R"({"_m\u0065ta":{"a":1}})"), of_meta)),
            R"({"_m\u0065ta":{"traceparent":")" + of_meta + R"(","a":1}})");
}

TEST(message_trace, leaves_a_meta_that_is_no_object) {
  auto request = call_with(R"({"_meta":null})");
  EXPECT_EQ(passed_on(request, of_meta), request.text);
}

TEST(message_trace, leaves_a_text_that_says_the_same) {
  auto request = call_with_meta(meta_member("traceparent", unsampled));
  auto text = request.text;
  request.trace = traced(request);
  write_trace(request);
  EXPECT_EQ(request.text, text);
}

TEST(message_trace, leaves_ids_and_tokens_replaceable) {
  auto request =
      gateway_message(R"({"jsonrpc":"2.0","method":"tools/call","params":{"_meta":{"progressToken":"p"}},"id":7})");
  request.trace = std::make_shared<const request_trace>(request_trace{*read_traceparent(of_meta)});
  write_trace(request);
  replace_ids(request, "1234", "5678");
  EXPECT_EQ(request.text, R"({"jsonrpc":"2.0","method":"tools/call","params":{"_meta":{"traceparent":")" + of_meta +
                              R"(","progressToken":5678}},"id":1234})");
}

} // namespace troupe::tests::message_trace_test
