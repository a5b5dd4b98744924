#include "net/io_thread.hpp"

#include "net/spare_connections.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cassert>
#include <csignal>
#include <deque>
#include <map>
#include <pthread.h>
#include <thread>

namespace troupe::net {

namespace asio = boost::asio;

/// Timers of an `io_thread`, which fire up to a span of time too late. This way one system timer serves all those
/// within a span. Only for that thread.
class timetable {
public:
  timetable(boost::asio::io_context& context, std::chrono::milliseconds span) : timer_{context}, span_{span} {}

  void add(io_thread::timer_id which, std::function<void()> work) {
    all_.emplace(which, std::move(work));
    arm();
  }

  /// Removes a timer; does nothing if it has fired.
  void remove(io_thread::timer_id which) { all_.erase(which); }

  /// Removes all timers. Destroying their handlers may remove others.
  void clear() {
    auto left = std::exchange(all_, {});
    timer_.cancel();
  }

private:
  using time_point = io_thread::clock::time_point;

  void arm() {
    if (all_.empty() || all_.begin()->first.first >= armed_)
      return;
    armed_ = all_.begin()->first.first;
    timer_.expires_at(armed_ + span_);
    timer_.async_wait([this](boost::system::error_code error) {
      if (!error)
        keep();
    });
  }

  void keep() {
    armed_ = time_point::max();
    auto now = io_thread::clock::now();
    while (!all_.empty() && all_.begin()->first.first <= now) {
      auto work = std::move(all_.begin()->second);
      all_.erase(all_.begin());
      work();
    }
    arm();
  }

  boost::asio::steady_timer timer_;
  std::chrono::milliseconds span_;
  /// Earliest time in the table, to which the timer is set; max() when not set.
  time_point armed_ = time_point::max();
  std::map<io_thread::timer_id, std::function<void()>> all_;
};

namespace {

/// Blocks all signals on a thread of ours except those of its own faults: signals are for the host program.
class signals_blocked {
public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    for (auto fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

private:
  sigset_t before_;
};

} // namespace

class io_thread::state {
public:
  state() : guard_{asio::make_work_guard(context_)}, soon_{context_, {}}, later_{context_, precision} {
    signals_blocked while_starting;
    thread_ = std::thread{[this] {
      current_ = this;
      context_.run();
    }};
  }

  /// Drops pending timers, and ignores those that remaining work sets: timers alone would keep the thread running.
  ~state() {
    asio::post(context_, [this] {
      is_ending_ = true;
      soon_.clear();
      later_.clear();
      guard_.reset();
    });
    thread_.join();
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  timer_id at(clock::time_point when, std::function<void()> work) {
    timer_id which{when, ++last_};
    if (is_ending_)
      return which;
    const auto ahead = when - now();
    auto& table = ahead > clock::duration::zero() && ahead < precision ? soon_ : later_;
    table.add(which, std::move(work));
    return which;
  }

  void cancel(timer_id which) {
    soon_.remove(which);
    later_.remove(which);
  }

  void post(std::function<void()> work) {
    if (!is_current())
      return asio::post(context_, std::move(work));
    ready_.push_back(std::move(work));
    if (ready_.size() == 1 && !working_)
      asio::post(context_, [this] { work_off(); });
  }

  clock::time_point now() const { return is_current() && is_turn_ ? turn_began_ : clock::now(); }

  void begin_turn() {
    assert(!is_turn_);
    turn_began_ = clock::now();
    is_turn_ = true;
  }
  void end_turn() { is_turn_ = false; }

  std::chrono::nanoseconds cpu_time() {
    clockid_t clock{};
    timespec time{};
    if (::pthread_getcpuclockid(thread_.native_handle(), &clock) == 0)
      ::clock_gettime(clock, &time);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  }

  asio::io_context& context() { return context_; }
  spare_connections& spare() { return spare_; }
  bool is_current() const { return current_ == this; }

private:
  /// Most items of work that run before sockets and pipes are polled.
  static constexpr std::size_t works_in_a_turn = 256;

  /// Runs posted work as one turn: the consequences of an event do not wait for the kernel's next events.
  void work_off() {
    begin_turn();
    working_ = true;
    for (std::size_t done = 0; done < works_in_a_turn && !ready_.empty(); ++done) {
      auto work = std::move(ready_.front());
      ready_.pop_front();
      work();
    }
    working_ = false;
    end_turn();
    if (!ready_.empty())
      asio::post(context_, [this] { work_off(); });
  }

  /// State of the calling thread; null if it is no `io_thread`.
  static inline thread_local const state* current_ = nullptr;

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  /// Timers that were due soon when they were set, and all others.
  timetable soon_;
  timetable later_;
  spare_connections spare_;
  /// Work posted by the thread itself and not run yet.
  std::deque<std::function<void()>> ready_;
  bool working_ = false;
  bool is_turn_ = false;
  clock::time_point turn_began_;
  bool is_ending_ = false;
  std::uint64_t last_ = 0;
  std::thread thread_;
};

io_thread::io_thread() : state_{std::make_unique<state>()} {}

io_thread::~io_thread() = default;

std::chrono::nanoseconds io_thread::cpu_time() const { return state_->cpu_time(); }

void io_thread::post(std::function<void()> work) { state_->post(std::move(work)); }

void io_thread::dispatch(std::function<void()> work) {
  if (is_current())
    work();
  else
    post(std::move(work));
}

io_thread::clock::time_point io_thread::now() const { return state_->now(); }

io_thread::turn::turn(io_thread& of) : of_{of} {
  assert(of.is_current());
  of_.state_->begin_turn();
}

io_thread::turn::~turn() { of_.state_->end_turn(); }

io_thread::timer_id io_thread::at(clock::time_point when, std::function<void()> work) {
  return state_->at(when, std::move(work));
}

void io_thread::cancel(timer_id which) {
  if (which == timer_id{})
    return;
  dispatch([this, which] { state_->cancel(which); });
}

bool io_thread::is_current() const { return state_->is_current(); }

asio::io_context& io_thread::context() { return state_->context(); }

spare_connections& io_thread::spare() { return state_->spare(); }

} // namespace troupe::net
