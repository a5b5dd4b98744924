#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"

#include <caf/scheduler/test_coordinator.hpp>
#include <map>

namespace troupe::tests {

/// A unit that runs actors on request, with a clock of the test.
class test_unit : public actors::unit {
public:
  test_unit(caf::actor_system& system, caf::scheduler::abstract_coordinator& scheduler, log_sink log = {})
      : unit{&system, 0, std::make_shared<actors::live_count>(), actors::event_log{std::move(log)}}, scheduler_{
                                                                                                         scheduler} {}

  void exec_later(caf::resumable* job) override { scheduler_.enqueue(job); }
  protocol::time_point now() const override { return now_; }
  bool is_current() const override { return is_current_; }
  reminder_id remind(caf::actor_addr who, protocol::time_point when) override {
    reminder_id which{when, ++last_};
    reminders_.emplace(which, std::move(who));
    return which;
  }
  void forget(reminder_id which) override { reminders_.erase(which); }

  /// Advances the clock, and sends the ticks that are due.
  void advance(std::chrono::milliseconds time) {
    now_ += time;
    while (!reminders_.empty() && reminders_.begin()->first.first <= now_) {
      auto who = reminders_.extract(reminders_.begin()).mapped();
      if (auto alive = caf::actor_cast<caf::actor>(who))
        caf::anon_send(alive, actors::tick{});
    }
  }
  /// Whether the test acts as a different thread than the unit's.
  void be_elsewhere(bool whether) { is_current_ = !whether; }
  std::size_t reminders() const { return reminders_.size(); }

private:
  caf::scheduler::abstract_coordinator& scheduler_;
  protocol::time_point now_{std::chrono::hours{1}};
  bool is_current_ = true;
  std::uint64_t last_ = 0;
  std::map<reminder_id, caf::actor_addr> reminders_;
};

} // namespace troupe::tests
