#pragma once

#include "tests/support/world.hpp"

namespace troupe::tests {

/// A single unit for actors under test, its log as lines, and an actor that monitors others.
struct unit_world : test_coordinator_fixture<test_config> {
  lines log;
  test_unit at{sys, sys.scheduler(), [this](const log_record& event) {
                 log.push_back(event.text);
                 for (auto& [name, value] : event.fields)
                   log.back() += ' ' + name + '=' + value;
               }};
  caf::scoped_actor self{sys};

  /// The exit reason of the monitored actor, after all messages are handled.
  caf::error end() {
    run();
    caf::error result;
    self->receive([&](const caf::down_msg& msg) { result = msg.reason; }, caf::after(std::chrono::seconds{0}) >> [] {});
    return result;
  }
};

} // namespace troupe::tests
