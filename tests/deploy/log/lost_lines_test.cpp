#include "deploy/log/log.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::lost_lines_test {

using deploy::lost_lines;

TEST(lost_lines, are_told_at_once_and_then_once_a_minute) {
  const lost_lines::time_point begin{};
  lost_lines lines{begin};
  EXPECT_EQ(lines.due(), begin + lost_lines::between_looks);
  EXPECT_EQ(lines.look(0, begin), 0u);
  EXPECT_EQ(lines.look(3, begin), 3u);
  EXPECT_EQ(lines.look(5, begin + lost_lines::between_words - std::chrono::nanoseconds{1}), 0u);
  EXPECT_EQ(lines.look(7, begin + lost_lines::between_words), 4u);
  EXPECT_EQ(lines.look(7, begin + 3 * lost_lines::between_words), 0u);
}

} // namespace troupe::tests::lost_lines_test
