#pragma once

#include "tests/simulation/history.hpp"
#include "tests/simulation/scheduler.hpp"

#include <deque>
#include <memory>
#include <string>

namespace troupe::tests::simulation {

/// The process of a node: its clock, and whether it runs. Ends for good when it is killed.
class process {
public:
  process(scheduler& time, history& log, std::string name, double speed)
      : time{time}, log{log}, name{std::move(name)}, speed_{speed}, begun_{time.now()} {}

  /// Time by the steady clock of this process. It runs too fast or too slow, and stands still in a suspended machine.
  time_point now() const { return local(time.now()) - asleep(); }
  /// Time by the clock that also counts suspended time.
  time_point boot_now() const { return ignores_suspension ? now() : local(time.now()); }
  /// When the steady clock of this process shows a time; max() if never.
  time_point real(time_point steady) const;
  /// Suspends the machine for that long.
  void suspend(span_of_time how_long);
  /// Time after which an actor that has a message runs: the processor is busy, or the process is paused.
  time_point next_run(bool goes_on);
  bool is_paused() const { return time.now() < paused_until; }
  void note(std::string_view what, std::string_view about = {}) const { log.note(name, what, about); }

  scheduler& time;
  history& log;
  const std::string name;
  bool is_alive = true;
  time_point paused_until = time_point::min();
  /// See `planted::suspension_ignored`.
  bool ignores_suspension = false;

private:
  time_point local(time_point real) const;
  span_of_time asleep() const;

  double speed_;
  time_point begun_;
  /// Time that the machine was suspended in all, up to the end of the last suspension.
  span_of_time suspended_{0};
  time_point suspended_until_ = time_point::min();
};

/// Stands for an actor of the product: takes one message after the other from its mailbox, some time after they were
/// sent. What the actors of the product have in common: reminders, and the end, which drops what waits.
class actor : public std::enable_shared_from_this<actor> {
public:
  explicit actor(std::shared_ptr<process> at) : at_{std::move(at)} {}
  virtual ~actor() = default;
  actor(const actor&) = delete;
  actor& operator=(const actor&) = delete;

  /// Sends a message: a call of a member of this actor.
  void post(action message);
  bool has_ended() const { return has_ended_; }
  std::size_t waiting() const { return mailbox_.size(); }

protected:
  process& at() const { return *at_; }
  const std::shared_ptr<process>& home() const { return at_; }
  time_point now() const { return at_->now(); }
  time_point boot_now() const { return at_->boot_now(); }
  /// Calls `tick` at a time of this process' steady clock, or earlier.
  void remind(time_point deadline);
  /// Calls `tick` for a deadline by the clock that counts suspended time.
  void remind_by_boot(time_point deadline);
  virtual void tick() {}
  /// The last act of an actor.
  void quit();
  /// Called by `quit`.
  virtual void ended() {}

private:
  void plan(bool goes_on);
  void run();

  std::shared_ptr<process> at_;
  std::deque<action> mailbox_;
  bool is_planned_ = false;
  bool has_ended_ = false;
  time_point reminded_ = time_point::max();
};

} // namespace troupe::tests::simulation
