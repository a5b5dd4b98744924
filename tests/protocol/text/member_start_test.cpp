#include "protocol/text/json.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::member_start_test {

using namespace protocol;

TEST(member_start, is_where_the_value_begins_with_all_that_follows) {
  EXPECT_EQ(member_start(R"({"a":{"b" : [1]},"c":2})", {"a", "b"}), R"([1]},"c":2})");
  EXPECT_EQ(member_start(R"({"a":1,"b":2})", {"b"}), "2}");
}

TEST(member_start, is_nowhere_without_such_a_member_or_in_what_is_no_object) {
  EXPECT_EQ(member_start(R"({"a":1})", {"b"}), std::nullopt);
  EXPECT_EQ(member_start(R"({"a":[1]})", {"a", "b"}), std::nullopt);
  EXPECT_EQ(member_start("[]", {"a"}), std::nullopt);
}

} // namespace troupe::tests::member_start_test
