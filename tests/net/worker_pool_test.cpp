#include "net/worker_pool.hpp"

#include "net/guarded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <set>
#include <thread>

using namespace troupe::net;

TEST(a_worker_pool, runs_all_that_was_posted_before_it_ends) {
  std::atomic<int> ran = 0;
  {
    worker_pool pool{2};
    for (int i = 0; i < 100; ++i)
      pool.post([&] { ++ran; });
  }
  EXPECT_EQ(ran, 100);
}

TEST(a_worker_pool, runs_so_much_at_a_time_as_it_has_threads) {
  std::barrier<> all_there{3};
  guarded<std::set<std::thread::id>> threads;
  {
    worker_pool pool{3};
    for (int i = 0; i < 9; ++i)
      pool.post([&] {
        threads.with([](auto& known) { known.insert(std::this_thread::get_id()); });
        all_there.arrive_and_wait();
      });
  }
  EXPECT_EQ(threads.with([](auto& known) { return known.size(); }), 3);
}

TEST(a_worker_pool, takes_work_from_its_own_work_also_at_its_end) {
  std::atomic<int> depth = 0;
  std::function<void()> again;
  {
    worker_pool pool{1};
    again = [&] {
      if (++depth < 10)
        pool.post(again);
    };
    pool.post(again);
  }
  EXPECT_EQ(depth, 10);
}
