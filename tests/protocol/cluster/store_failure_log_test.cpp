// Log lines about a store that fails to store.

#include "protocol/cluster/store_failure_log.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::store_failure_log_test {

using namespace protocol;

TEST(store_failure_log, say_once_that_something_was_not_kept_until_something_is) {
  store_failure_log all;
  EXPECT_EQ(all.not_kept("full"),
            (log_note{log_note::weight::warning, "the store did not keep what it was told", {{"why", "full"}}}));
  EXPECT_EQ(all.not_kept("slow"), std::nullopt);
  all.kept();
  EXPECT_TRUE(all.not_kept("slow"));
}

TEST(store_failure_log, say_of_each_session_once_that_it_has_another_owner) {
  store_failure_log all;
  EXPECT_EQ(all.foreign("0123456789abcdef0123"), (log_note{log_note::weight::warning,
                                                           "another node owns the session: nothing is kept of it",
                                                           {{"session", "01234567…"}}}));
  EXPECT_EQ(all.foreign("0123456789abcdef0123"), std::nullopt);
  EXPECT_TRUE(all.foreign("t"));
  all.forget("t");
  EXPECT_TRUE(all.foreign("t"));
}

TEST(store_failure_log, remember_so_many_sessions) {
  for (auto count : {store_failure_log::most_foreign - 1, store_failure_log::most_foreign}) {
    store_failure_log all;
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_TRUE(all.foreign(std::to_string(i)));
    EXPECT_EQ(all.foreign("0").has_value(), count == store_failure_log::most_foreign);
  }
}

} // namespace troupe::tests::store_failure_log_test
