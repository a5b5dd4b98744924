#include "tests/protocol/http/stateless_requests.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::doubled_params_test {

TEST(stateless_request, is_refused_with_a_param_twice_that_is_looked_at) {
  auto refusal = [](const std::string& method, const std::string& params, std::string_view name = {}) {
    return parsed_stateless(alone_fields(method, name), stateless_call(method, params));
  };
  for (std::string name : {"uri", "taskId", "arguments", "inputResponses", "requestState", "notifications"}) {
    auto param = ",\"" + name + R"(":{"a":1})";
    auto bad = refusal("tools/list", param + R"(,"x":1)" + param);
    EXPECT_EQ(seen(bad), refused(400, -32602)) << name;
    EXPECT_EQ(std::get<rejection>(bad).text, "Invalid params: params." + name + " is there twice");
  }
  auto named = R"(,"name":"get_weather","n\u0061me":"get_weather")";
  EXPECT_EQ(seen(refusal("tools/call", named, "get_weather")), refused(400, -32602));
}

TEST(stateless_request, may_have_other_params_twice) {
  auto body = stateless_call("tools/list", R"(,"x":1,"x":2,"arguments":{"a":1,"a":2})");
  EXPECT_EQ(seen(parsed_stateless(alone_fields("tools/list"), body)), "answer to tools/list");
}

} // namespace troupe::tests::doubled_params_test
