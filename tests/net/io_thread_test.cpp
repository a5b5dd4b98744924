#include "net/io_thread.hpp"

#include "tests/support/test_listener.hpp"

#include <optional>

namespace troupe::tests::io_thread_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

class io_thread_test : public tidy_test {
protected:
  io_thread::clock::time_point in(std::chrono::milliseconds time) { return io_thread::clock::now() + time; }

  journal seen;
  std::optional<io_thread> thread{std::in_place};
};

} // namespace

TEST_F(io_thread_test, runs_work_in_the_order_of_its_posts) {
  for (auto i = 0; i < 100; ++i)
    thread->post([this, i] { seen.note(std::to_string(i)); });
  auto told = seen.wait_for(100);
  for (std::size_t i = 0; i < 100; ++i)
    ASSERT_EQ(told.at(i), std::to_string(i));
}

TEST_F(io_thread_test, tells_the_cpu_time_that_its_work_has_taken) {
  const auto before = thread->cpu_time();
  run_on(*thread, [this, before] {
    for (const auto end = in(10s); thread->cpu_time() < before + 20ms && io_thread::clock::now() < end;)
      ;
  });
  EXPECT_GE(thread->cpu_time(), before + 20ms);
  EXPECT_LT(io_thread{}.cpu_time(), 1s);
}

TEST_F(io_thread_test, has_one_time_in_a_turn) {
  run_on(*thread, [this] {
    const auto goes_on_from = [this](auto time) {
      for (const auto end = in(patience); thread->now() == time && io_thread::clock::now() < end;)
        ;
      return thread->now() != time;
    };
    {
      const io_thread::turn event{*thread};
      const auto began = thread->now();
      for (const auto end = in(2ms); io_thread::clock::now() < end;)
        ;
      EXPECT_EQ(thread->now(), began);
    }
    EXPECT_TRUE(goes_on_from(thread->now()));
  });
}

TEST_F(io_thread_test, never_runs_work_before_post_returns) {
  run_on(*thread, [this] {
    thread->post([this] { seen.note("work"); });
    seen.note("returned");
  });
  EXPECT_EQ(seen.wait_for(2), (lines{"returned", "work"}));
}

TEST_F(io_thread_test, dispatches_work_at_once_on_itself_and_as_a_post_from_elsewhere) {
  run_on(*thread, [this] {
    thread->dispatch([this] { seen.note("work"); });
    seen.note("returned");
  });
  thread->dispatch([this] { seen.note(thread->is_current() ? "on the thread" : "elsewhere"); });
  EXPECT_EQ(seen.wait_for(3), (lines{"work", "returned", "on the thread"}));
}

TEST_F(io_thread_test, knows_whether_it_is_current) {
  EXPECT_FALSE(thread->is_current());
  run_on(*thread, [this] { EXPECT_TRUE(thread->is_current()); });
}

TEST_F(io_thread_test, keeps_appointments_in_the_order_of_their_times) {
  run_on(*thread, [this] {
    const io_thread::turn event{*thread}; // time does not pass within a turn
    const auto now = thread->now();
    thread->at(now + 30ms, [this] { seen.note("third"); });
    thread->at(now + 10ms, [this] { seen.note("first"); });
    thread->at(now + 20ms, [this] { seen.note("second"); });
  });
  EXPECT_EQ(seen.wait_for(3), (lines{"first", "second", "third"}));
}

TEST_F(io_thread_test, keeps_appointments_of_one_time_in_the_order_of_their_making) {
  run_on(*thread, [this] {
    auto when = in(10ms);
    for (auto name : {"a", "b", "c"})
      thread->at(when, [this, name] { seen.note(name); });
  });
  EXPECT_EQ(seen.wait_for(3), (lines{"a", "b", "c"}));
}

TEST_F(io_thread_test, keeps_an_appointment_not_before_its_time) {
  auto when = in(60ms);
  std::promise<io_thread::clock::time_point> kept;
  run_on(*thread, [&] { thread->at(when, [&] { kept.set_value(io_thread::clock::now()); }); });
  EXPECT_GE(kept.get_future().get(), when);
}

TEST_F(io_thread_test, keeps_a_close_appointment_soon_also_beside_others) {
  run_on(*thread, [this] {
    thread->at(in(1h), [this] { seen.note("late"); });
    thread->at(in(-1h), [this] { seen.note("overdue"); });
  });
  EXPECT_EQ(seen.wait_for(1), lines{"overdue"});
  run_on(*thread, [this] {
    const io_thread::turn event{*thread}; // time does not pass within a turn
    const auto now = thread->now();
    thread->at(now + 60ms, [this] { seen.note("a time limit"); });
    thread->at(now + 45ms, [this] { seen.note("close"); });
  });
  EXPECT_EQ(seen.wait_for(3), (lines{"overdue", "close", "a time limit"}));
}

TEST_F(io_thread_test, keeps_a_close_appointment_within_the_precision_of_others) {
  auto began = io_thread::clock::now();
  auto soonest = std::chrono::nanoseconds::max();
  for (const auto end = in(patience); soonest >= io_thread::precision && began < end;) {
    std::promise<void> done;
    run_on(*thread, [&] { thread->at(in(5ms), [&] { done.set_value(); }); });
    done.get_future().get();
    auto now = io_thread::clock::now();
    soonest = std::min<std::chrono::nanoseconds>(soonest, now - began);
    began = now;
  }
  EXPECT_LT(soonest, io_thread::precision);
}

TEST_F(io_thread_test, keeps_a_sooner_appointment_that_is_made_later) {
  run_on(*thread, [this] { thread->at(in(1h), [this] { seen.note("late"); }); });
  run_on(*thread, [this] { thread->at(in(1ms), [this] { seen.note("soon"); }); });
  EXPECT_EQ(seen.wait_for(1), lines{"soon"});
}

TEST_F(io_thread_test, makes_appointments_while_it_keeps_one) {
  run_on(*thread, [this] {
    thread->at(in(1ms), [this] {
      seen.note("one");
      thread->at(in(1ms), [this] { seen.note("two"); });
    });
  });
  EXPECT_EQ(seen.wait_for(2), (lines{"one", "two"}));
}

TEST_F(io_thread_test, forgets_a_cancelled_appointment) {
  run_on(*thread, [this] {
    auto which = thread->at(in(1ms), [this] { seen.note("cancelled"); });
    thread->at(in(2ms), [this] { seen.note("kept"); });
    thread->cancel(which);
    thread->cancel(which);
  });
  EXPECT_EQ(seen.wait_for(1), lines{"kept"});
}

TEST_F(io_thread_test, forgets_an_appointment_that_another_thread_cancels) {
  std::promise<io_thread::timer_id> made;
  std::promise<void> cancelled;
  thread->post([&] { // blocks the thread until then
    made.set_value(thread->at(in(1ms), [this] { seen.note("cancelled"); }));
    cancelled.get_future().wait();
  });
  thread->cancel(made.get_future().get());
  cancelled.set_value();
  run_on(*thread, [this] { thread->at(in(2ms), [this] { seen.note("kept"); }); });
  EXPECT_EQ(seen.wait_for(1), lines{"kept"});
}

TEST_F(io_thread_test, bears_the_cancelling_of_an_appointment_that_was_kept_and_of_none) {
  io_thread::timer_id which;
  run_on(*thread, [&] { which = thread->at(in(1ms), [this] { seen.note("kept"); }); });
  EXPECT_EQ(seen.wait_for(1), lines{"kept"});
  thread->cancel(which);
  thread->cancel({});
  run_on(*thread, [&] {
    thread->cancel(which);
    thread->cancel({});
  });
}

TEST_F(io_thread_test, lets_an_appointment_cancel_another_of_the_same_time) {
  run_on(*thread, [this] {
    auto when = in(1ms);
    auto which = std::make_shared<io_thread::timer_id>();
    thread->at(when, [this, which] {
      seen.note("first");
      thread->cancel(*which);
    });
    *which = thread->at(when, [this] { seen.note("cancelled"); });
    thread->at(when, [this] { seen.note("last"); });
  });
  EXPECT_EQ(seen.wait_for(2), (lines{"first", "last"}));
}

TEST_F(io_thread_test, finishes_posted_work_before_its_destruction_ends) {
  for (auto i = 0; i < 100; ++i)
    thread->post([this, i] { seen.note(std::to_string(i)); });
  thread.reset();
  EXPECT_EQ(seen.all().size(), 100u);
}

TEST_F(io_thread_test, destroys_the_appointments_that_are_left_without_keeping_them) {
  auto held = std::make_shared<int>(1);
  run_on(*thread, [&] { thread->at(in(1h), [this, held] { seen.note("late"); }); });
  thread.reset();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(seen.all(), lines{});
}

TEST_F(io_thread_test, bears_left_appointments_that_cancel_others_when_they_are_destroyed) {
  struct canceller {
    explicit canceller(io_thread& of) : thread{of} {}
    ~canceller() { thread.cancel(other); }
    io_thread& thread;
    io_thread::timer_id other{};
  };
  run_on(*thread, [this] {
    auto first = std::make_shared<canceller>(*thread);
    thread->at(in(1h), [first] {});
    first->other = thread->at(in(2h), [] {});
  });
  thread.reset();
}

TEST_F(io_thread_test, keeps_no_appointment_that_is_made_while_it_is_destroyed) {
  struct late_comer {
    io_thread& thread;
    journal& seen;
    ~late_comer() {
      thread.at(io_thread::clock::now() + patience, [&seen = seen] { seen.note("late"); });
      seen.note("made");
    }
  };
  run_on(*thread, [this] {
    thread->at(in(1h), [last = std::shared_ptr<late_comer>{new late_comer{*thread, seen}}] {});
  });
  auto began = std::chrono::steady_clock::now();
  thread.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, patience);
  EXPECT_EQ(seen.all(), lines{"made"});
}

TEST_F(io_thread_test, takes_no_signals_from_the_host) {
  run_on(*thread, [] {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (auto signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD})
      EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
    for (auto fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
      EXPECT_EQ(sigismember(&blocked, fault), 0) << fault;
  });
}

} // namespace troupe::tests::io_thread_test
