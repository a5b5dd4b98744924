#include "net/child/process_total.hpp"

#include "tests/support/child.hpp"

namespace troupe::tests::process_total_test {

using namespace net;
using namespace std::chrono_literals;

using process_total_test = tidy_test;

TEST_F(process_total_test, has_room_for_so_many_until_one_is_gone) {
  process_total total{2};
  counted_process one{&total};
  {
    counted_process two{&total}, three{&total};
    EXPECT_TRUE(one.fits() && two.fits());
    EXPECT_FALSE(three.fits());
    EXPECT_EQ(total.living(), 2u);
    two.stops();
    two.stops();
    three.stops();
    EXPECT_EQ(total.stopping(), 1u);
  }
  EXPECT_EQ(total.living(), 1u);
  EXPECT_EQ(total.stopping(), 0u);
  EXPECT_TRUE(counted_process{&total}.fits());
  EXPECT_TRUE(counted_process{nullptr}.fits());
}

TEST_F(process_total_test, counts_one_that_moves_once) {
  process_total total{1};
  {
    counted_process one{&total};
    one.stops();
    counted_process other{std::move(one)};
    EXPECT_EQ(total.stopping(), 1u);
  }
  EXPECT_EQ(total.living() + total.stopping(), 0u);
}

TEST_F(process_total_test, counts_a_child_until_it_is_reaped) {
  process_total total{1};
  child_limits limits;
  std::atomic<bool> kill_at_once = false;
  limits.total = &total;
  limits.patience = 1h;
  limits.kill_at_once = &kill_at_once;
  child stubborn{shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"), limits};
  stubborn.seen.wait_for("> ready");
  EXPECT_EQ(child(shell("exit 0"), limits).failure,
            (start_failure{"too many processes run; gateway.limits.processes allows more", true}));
  EXPECT_EQ(total.stopping(), 0u);
  stubborn.let_go();
  EXPECT_EQ(total.stopping(), 1u);
  EXPECT_EQ(total.living(), 1u);
  kill_at_once = true;
  stubborn.stop();
  EXPECT_EQ(total.living() + total.stopping(), 0u);
}

} // namespace troupe::tests::process_total_test
