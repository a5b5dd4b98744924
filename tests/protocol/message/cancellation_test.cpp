// Cancellations and progress: how they are told from other messages, and how the gateway writes them.

#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace troupe::tests::cancellation_test {

using namespace protocol;

TEST(cancellation, names_the_request_that_it_cancels) {
  for (const auto& one : {cancellation_of(12, "late"), cancellation_of("12", "late")}) {
    EXPECT_EQ(one.text,
              R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12,"reason":"late"}})");
    EXPECT_TRUE(is_cancellation(one));
    EXPECT_FALSE(is_progress(one));
    EXPECT_EQ(one.reference, "12");
  }
  EXPECT_EQ(cancellation_of(UINT64_MAX, "").reference, "18446744073709551615");
}

TEST(progress, names_the_token_of_its_request) {
  auto one = progress_of("\"t\"", 3);
  EXPECT_EQ(one.text,
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":3}})");
  EXPECT_TRUE(is_progress(one));
  EXPECT_FALSE(is_cancellation(one));
  EXPECT_EQ(one.reference, "\"t\"");
}

TEST(cancellation, is_no_request_and_no_other_notification) {
  for (auto method : {"notifications/cancelled", "notifications/progress"}) {
    auto one = gateway_message(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string{method} + "\"}");
    EXPECT_FALSE(is_cancellation(one) || is_progress(one) || is_notification(one)) << method;
  }
  auto other = gateway_message(R"({"jsonrpc":"2.0","method":"notifications/message"})");
  EXPECT_TRUE(is_notification(other));
  EXPECT_FALSE(is_cancellation(other) || is_progress(other));
}

} // namespace troupe::tests::cancellation_test
