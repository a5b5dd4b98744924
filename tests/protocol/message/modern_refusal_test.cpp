#include "protocol/message/era.hpp"

#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::modern_refusal_test {

TEST(modern_refusal, may_have_any_code_by_which_a_server_says_that_it_does_not_know_initialize) {
  for (auto code : {-32022, -32021, -32020, -32601, -32602, -32600})
    EXPECT_TRUE(may_be_modern(gateway_message(error("0", code)))) << code;
  for (auto code : {-32603, -32000, -32700, -32023, 1})
    EXPECT_FALSE(may_be_modern(gateway_message(error("0", code)))) << code;
  EXPECT_FALSE(may_be_modern(gateway_message(welcome("0"))));
}

TEST(modern_refusal, is_certain_by_codes_that_only_the_modern_era_has) {
  EXPECT_TRUE(is_surely_modern(gateway_message(refuses_version("null", R"(["2026-07-28"])")), 400));
  EXPECT_FALSE(is_surely_modern(gateway_message(error("0", -32022)), 400));
  EXPECT_FALSE(is_surely_modern(gateway_message(refuses_version("0", R"("2026-07-28")")), 400));
  for (auto code : {-32020, -32021})
    EXPECT_TRUE(is_surely_modern(gateway_message(error("0", code)), 400)) << code;
  EXPECT_TRUE(is_surely_modern(gateway_message(error("0", -32601)), 404));
  EXPECT_FALSE(is_surely_modern(gateway_message(error("0", -32601)), 400));
  for (auto code : {-32600, -32602, -32000})
    EXPECT_FALSE(is_surely_modern(gateway_message(error("0", code)), 404)) << code;
}

} // namespace troupe::tests::modern_refusal_test
