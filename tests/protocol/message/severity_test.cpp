#include "protocol/message/severity.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::severity_test {

using namespace protocol;

TEST(severity, has_the_names_of_the_specification) {
  for (auto name : {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}) {
    ASSERT_TRUE(read_severity(name)) << name;
    EXPECT_EQ(name_of(*read_severity(name)), name);
  }
  for (auto name : {"", "Debug", "warn", "fatal"})
    EXPECT_FALSE(read_severity(name)) << name;
}

} // namespace troupe::tests::severity_test
