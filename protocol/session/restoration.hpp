#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/saved_event.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/waiting_clients.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A session that is being restored, until its new server has initialized: the kept events of its streams, and the
/// requests of clients that wait.
class restoration {
public:
  restoration(std::vector<saved_event> events, const session_limits& limits)
      : events_{std::move(events)}, waiting_{limits.waiting, limits.waiting_bytes} {}

  const std::vector<saved_event>& events() const { return events_; }
  /// A client waits, or is refused because too much waits already.
  void let_wait(waiting_client one, effects& out);
  /// The connection of a client that may wait is gone.
  void left(exchange_id exchange) { waiting_.left(exchange); }
  /// The requests that waited, in the order in which they came; none waits afterwards.
  std::vector<waiting_client> take_clients() { return waiting_.take(); }
  /// The session ends before it began again. `for_now` says why, when it may begin later or at another node; else it is
  /// gone.
  void turn_away(const std::optional<std::string>& for_now, effects& out);

private:
  std::vector<saved_event> events_;
  waiting_clients waiting_;
};

/// Removes, from the effects beginning with `first`, those that answer an exchange whose connection is gone.
void drop_answers(effects& all, std::size_t first, exchange_id to);

} // namespace troupe::protocol
