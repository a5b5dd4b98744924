#include "protocol/message/severity.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::log_levels_test {

using namespace protocol;

TEST(log_levels, are_told_when_the_most_verbose_changes) {
  log_levels all;
  EXPECT_EQ(all.level_change(), std::nullopt);
  all.set(1, severity::warning);
  EXPECT_EQ(all.level_change(), severity::warning);
  EXPECT_EQ(all.level_change(), std::nullopt);
  all.set(2, severity::error);
  EXPECT_EQ(all.level_change(), std::nullopt);
  all.set(2, severity::debug);
  EXPECT_EQ(all.level_change(), severity::debug);
  all.forget(2);
  EXPECT_EQ(all.level_change(), severity::warning);
  all.forget(1);
  EXPECT_EQ(all.level_change(), std::nullopt);
}

TEST(log_levels, are_told_again_to_a_new_server) {
  log_levels all;
  all.set(1, severity::warning);
  all.level_change();
  all.untold();
  EXPECT_EQ(all.level_change(), severity::warning);
}

TEST(log_levels, let_everything_pass_while_nobody_set_one) {
  log_levels all;
  EXPECT_TRUE(all.passes(1, severity::debug));
  all.set(1, severity::error);
  all.forget(1);
  all.forget(1);
  EXPECT_TRUE(all.passes(2, severity::debug));
}

TEST(log_levels, spare_each_user_what_it_did_not_ask_for) {
  log_levels all;
  all.set(1, severity::debug);
  all.set(2, severity::error);
  EXPECT_TRUE(all.passes(1, severity::debug));
  EXPECT_FALSE(all.passes(2, severity::warning));
  EXPECT_TRUE(all.passes(2, severity::error));
  EXPECT_TRUE(all.passes(2, severity::emergency));
  EXPECT_FALSE(all.passes(3, severity::debug));
  EXPECT_TRUE(all.passes(3, severity::info));
}

} // namespace troupe::tests::log_levels_test
