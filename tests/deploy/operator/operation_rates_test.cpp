#include "deploy/operator/top.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::operation_rates_test {

using namespace deploy;

TEST(operation_rates, adds_up_the_series_of_requests) {
  const auto read = read_operations(R"(# HELP mcp_server_operation_duration_seconds what clients wait for
# TYPE mcp_server_operation_duration_seconds histogram
mcp_server_operation_duration_seconds_count{mcp_method_name="ping",error_type=""} 3
mcp_server_operation_duration_seconds_sum{mcp_method_name="ping",error_type=""} 0.5
mcp_server_operation_duration_seconds_bucket{mcp_method_name="ping",error_type="",le="+Inf"} 3
mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",gen_ai_tool_name="a \" b"} 4
mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",error_type="tool_error"} 2
mcp_server_operation_duration_seconds_sum{mcp_method_name="tools/call",error_type="tool_error"} 1e-1
mcp_server_operation_duration_seconds_counted 100
mcp_client_operation_duration_seconds_count{error_type="-32603"} 50
)");
  EXPECT_EQ(read, (operation_counts{9, 2, 0.6}));
  EXPECT_EQ(read_operations(""), operation_counts{});
  EXPECT_EQ(read_operations("mcp_server_operation_duration_seconds_count"), operation_counts{});
}

TEST(operation_rates, are_what_happened_between_two_readings) {
  EXPECT_EQ(rates_between({10, 1, 5}, {30, 2, 15}, 2), (operation_rates{10, 0.5, 0.5}));
  EXPECT_EQ(rates_between({10, 1, 5}, {10, 1, 5}, 2), operation_rates{});
  EXPECT_EQ(rates_between({10, 1, 5}, {30, 2, 15}, 0), operation_rates{});
}

TEST(operation_rates, begin_anew_with_a_gateway_that_started_again) {
  EXPECT_EQ(rates_between({1000, 100, 500}, {4, 2, 2}, 2), (operation_rates{2, 1, 0.5}));
}

} // namespace troupe::tests::operation_rates_test
