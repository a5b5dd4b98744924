#pragma once

#include "actors/runtime/calendar.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/local_sessions.hpp"
#include "net/crypto.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/metrics/thread_metrics.hpp"
#include "protocol/text/words.hpp"
#include "protocol/time.hpp"
#include "protocol/trace/span.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace troupe::actors {

/// Returns the text of an exception. Code of the host may throw anything, not only `std::exception`.
inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return protocol::one_line(error.what());
  } catch (...) {
    return "what was thrown is no std::exception";
  }
}

/// Sends a message to an actor unless it has ended. Callable from any thread.
template <class Message>
void send_if_alive(const caf::actor_addr& whom, Message what) {
  if (auto alive = caf::actor_cast<caf::actor>(whom))
    caf::anon_send(alive, std::move(what));
}

class unit;

/// Tracing of requests, the same for all units of a gateway.
struct tracing {
  protocol::sampler sampler;
  /// Called when a span has ended, on the thread of that unit.
  std::function<void(const unit& at, protocol::span&& one)> ended;
};

/// Counts live objects, such as the actors of one gateway, and lets threads wait for zero. Callable from any thread.
class live_count {
public:
  void add() { ++count_; }
  void remove() {
    if (--count_ == 0)
      count_.notify_all();
  }
  std::size_t size() const { return count_; }
  /// Blocks the calling thread.
  void wait_until_none() const {
    while (auto count = count_.load())
      count_.wait(count);
  }

private:
  std::atomic<std::size_t> count_ = 0;
};

/// Counts in a `live_count` for its lifetime.
class counted_alive {
public:
  explicit counted_alive(std::shared_ptr<live_count> of) : of_{std::move(of)} { of_->add(); }
  ~counted_alive() { of_->remove(); }
  counted_alive(const counted_alive&) = delete;
  counted_alive& operator=(const counted_alive&) = delete;

private:
  std::shared_ptr<live_count> of_;
};

/// An execution unit of CAF that runs its actors on one thread, with a clock and reminders. A gateway has several;
/// tests have one with its own thread and clock.
class unit : public caf::execution_unit {
public:
  unit(caf::actor_system* system, std::size_t number,
       std::shared_ptr<live_count> live_actors = std::make_shared<live_count>(), event_log log = event_log{},
       std::shared_ptr<all_sessions> all = nullptr)
      : caf::execution_unit{system}, number_{number},
        live_actors_{std::move(live_actors)}, log_{std::move(log)}, sessions_{number, std::move(all)} {}
  /// Id of a reminder; default-constructed, no reminder.
  using reminder_id = std::pair<protocol::time_point, std::uint64_t>;

  /// Index among the units of the gateway.
  std::size_t number() const { return number_; }
  /// Counter of the actors on all units of the gateway.
  const std::shared_ptr<live_count>& live_actors() const { return live_actors_; }
  /// The gateway's log.
  const event_log& log() const { return log_; }
  void log_failure(const char* actor, const std::exception_ptr& thrown) const {
    log_(log_level::error, "an actor failed", {{"actor", actor}, {"why", text_of(thrown)}});
  }
  /// Metrics of this unit; null when not measured. Change on the unit's thread only.
  protocol::thread_metrics* metrics() const { return metrics_.get(); }
  /// Enables metrics. Call before the unit has actors.
  void measure() { metrics_ = std::make_unique<protocol::thread_metrics>(); }
  /// Adds 1 to a counter of this unit, if metrics are enabled.
  void count(protocol::metric which, protocol::thread_metrics::label_values labels = {}) const {
    if (metrics_)
      metrics_->number(which, labels).add(1);
  }
  /// Tracing of requests; null when disabled.
  const tracing* traces() const { return traces_.get(); }
  /// Enables tracing. Call before the unit has actors.
  void trace(std::shared_ptr<const tracing> how) { traces_ = std::move(how); }
  /// Table of this unit's sessions. Use on the unit's thread only.
  local_sessions& sessions() { return sessions_; }
  /// Current time of the unit's clock. Callable from any thread.
  virtual protocol::time_point now() const = 0;
  /// Whether the caller runs on the unit's thread. Callable from any thread.
  virtual bool is_current() const = 0;
  /// Sends a `tick` to an actor at `when`, unless it has ended. Call on the unit's thread only.
  virtual reminder_id remind(caf::actor_addr who, protocol::time_point when) = 0;
  /// Cancels a reminder. Callable from any thread.
  virtual void forget(reminder_id which) = 0;

private:
  std::size_t number_;
  std::shared_ptr<live_count> live_actors_;
  event_log log_;
  local_sessions sessions_;
  std::unique_ptr<protocol::thread_metrics> metrics_;
  std::shared_ptr<const tracing> traces_;
};

/// An actor's only pending reminder; cancelled on destruction.
class reminder {
public:
  explicit reminder(unit& at) : at_{at} {}
  ~reminder() { at_.forget(which_); }
  reminder(const reminder&) = delete;
  reminder& operator=(const reminder&) = delete;

  /// Requests a `tick` at `when`. The `tick` may come earlier, from a previous request: an early `tick` costs less than
  /// moving the reminder at every message.
  void set(const caf::actor_addr& who, protocol::time_point when) {
    if (when == protocol::time_point::max() || (which_ != unit::reminder_id{} && which_.first <= when))
      return;
    at_.forget(which_);
    which_ = at_.remind(who, when);
  }
  /// Requests a `tick` for a deadline by another clock, whose time is `now`; rounded up, as clocks differ a little.
  void set(const caf::actor_addr& who, protocol::time_point when, protocol::time_point now) {
    if (when != protocol::time_point::max())
      set(who, std::chrono::ceil<std::chrono::milliseconds>(at_.now() + (std::max(when, now) - now)));
  }
  /// Call when the `tick` has arrived.
  void arrived() { which_ = {}; }

private:
  unit& at_;
  unit::reminder_id which_;
};

/// Returns a share in a metric of the unit, with the initial value `now`; an empty share when metrics are disabled.
inline protocol::metric_share share_of(const unit& at, protocol::metric which,
                                       protocol::thread_metrics::label_values labels = {}, std::int64_t now = 0) {
  return at.metrics() ? protocol::metric_share{at.metrics()->number(which, labels), now} : protocol::metric_share{};
}

/// Returns the start of a span that begins now.
inline protocol::span_start span_start_of(protocol::span::kind is, const unit& at) {
  return {is, net::quick_random_64() | 1, time_of_day(at.now())};
}

} // namespace troupe::actors
