#include "net/worker_pool.hpp"

#include "net/guarded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <future>
#include <memory>
#include <set>
#include <thread>

namespace troupe::tests::worker_pool_test {

using namespace net;

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

namespace {

/// A pool whose only thread is busy until this object is destroyed.
struct busy_pool {
  explicit busy_pool(std::size_t most_waiting) : pool{1, most_waiting} {
    pool.post([this] {
      begun.set_value();
      end.get_future().wait();
    });
    begun.get_future().wait();
  }
  ~busy_pool() { end.set_value(); }

  std::promise<void> begun;
  std::promise<void> end;
  worker_pool pool;
};

} // namespace

TEST(a_worker_pool, refuses_what_would_wait_behind_too_much) {
  busy_pool busy{2};
  EXPECT_NE(busy.pool.post([] {}), 0);
  EXPECT_NE(busy.pool.post([] {}), 0);
  EXPECT_EQ(busy.pool.post([] {}), 0);
}

TEST(a_worker_pool, has_room_for_all_of_its_threads_before_anything_waits) {
  std::barrier<> all_there{3};
  worker_pool pool{2, 0};
  EXPECT_NE(pool.post([&] { all_there.arrive_and_wait(); }), 0);
  EXPECT_NE(pool.post([&] { all_there.arrive_and_wait(); }), 0);
  EXPECT_EQ(pool.post([] {}), 0);
  all_there.arrive_and_wait();
}

TEST(a_worker_pool, forgets_what_is_dropped_and_has_room_for_other_work) {
  bool ran = false;
  auto held = std::make_shared<int>();
  {
    busy_pool busy{1};
    const auto ticket = busy.pool.post([&ran, held] { ran = true; });
    EXPECT_EQ(held.use_count(), 2);
    busy.pool.drop(ticket);
    busy.pool.drop(ticket);
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_NE(busy.pool.post([] {}), 0);
  }
  EXPECT_FALSE(ran);
}

TEST(a_worker_pool, knows_its_threads) {
  worker_pool pool{1}, other{1};
  std::promise<bool> own, of_other;
  pool.post([&] {
    own.set_value(pool.is_current());
    of_other.set_value(other.is_current());
  });
  EXPECT_TRUE(own.get_future().get());
  EXPECT_FALSE(of_other.get_future().get());
  EXPECT_FALSE(pool.is_current());
}

} // namespace troupe::tests::worker_pool_test
