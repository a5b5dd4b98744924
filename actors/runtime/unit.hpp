#pragma once

#include "actors/runtime/local_sessions.hpp"
#include "actors/runtime/log.hpp"
#include "protocol/time.hpp"

#include <atomic>
#include <caf/all.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace troupe::actors {

/// How many there are of something, such as of actors on the units of one gateway, for one that waits until there are
/// none. Callable from any thread.
class population {
public:
  void add() { ++count_; }
  void remove() {
    if (--count_ == 0)
      count_.notify_all();
  }
  std::size_t size() const { return count_; }
  /// Blocks the caller.
  void wait_until_none() const {
    while (auto count = count_.load())
      count_.wait(count);
  }

private:
  std::atomic<std::size_t> count_ = 0;
};

/// Counts as one of a population as long as it lives.
class resident {
public:
  explicit resident(std::shared_ptr<population> of) : of_{std::move(of)} { of_->add(); }
  ~resident() { of_->remove(); }
  resident(const resident&) = delete;
  resident& operator=(const resident&) = delete;

private:
  std::shared_ptr<population> of_;
};

/// Where actors live: one thread that runs them, a clock, and reminders. Tests give actors another one, whose
/// thread and clock are the test's own.
class unit : public caf::execution_unit {
public:
  unit(caf::actor_system* system, std::size_t number,
       std::shared_ptr<population> everybody = std::make_shared<population>(), event_log log = event_log{})
      : caf::execution_unit{system}, number_{number}, everybody_{std::move(everybody)}, log_{std::move(log)} {}
  /// Names a reminder; the empty one names none.
  using reminder_id = std::pair<protocol::time_point, std::uint64_t>;

  /// Its place among the units of the gateway.
  std::size_t number() const { return number_; }
  /// Those of all units of the gateway.
  const std::shared_ptr<population>& everybody() const { return everybody_; }
  /// Where the gateway says what becomes of its actors.
  const event_log& log() const { return log_; }
  /// Those that live here. Only on the unit's thread.
  local_sessions& sessions() { return sessions_; }
  virtual protocol::time_point now() const = 0;
  /// Sends a `tick` to an actor when the time has come, unless it has ended. Only on the unit's thread.
  virtual reminder_id remind(caf::actor_addr who, protocol::time_point when) = 0;
  /// Callable from any thread.
  virtual void forget(reminder_id which) = 0;

private:
  std::size_t number_;
  std::shared_ptr<population> everybody_;
  event_log log_;
  local_sessions sessions_;
};

/// An actor's one pending reminder. Destroying it forgets it.
class reminder {
public:
  explicit reminder(unit& at) : at_{at} {}
  ~reminder() { at_.forget(which_); }
  reminder(const reminder&) = delete;
  reminder& operator=(const reminder&) = delete;

  /// Asks for a `tick` at a time, or earlier: a reminder that comes too soon costs less than one that is moved at
  /// every message.
  void set(const caf::actor_addr& who, protocol::time_point when) {
    if (when == protocol::time_point::max() || (which_ != unit::reminder_id{} && which_.first <= when))
      return;
    at_.forget(which_);
    which_ = at_.remind(who, when);
  }
  /// The `tick` has come.
  void arrived() { which_ = {}; }

private:
  unit& at_;
  unit::reminder_id which_;
};

} // namespace troupe::actors
