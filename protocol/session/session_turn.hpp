#pragma once

#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/time.hpp"

#include <string>
#include <utility>

namespace troupe::protocol {

/// The handling of one fact by a session: the time, and the effects that its parts add. Lives until the fact is
/// handled.
struct session_turn {
  const session_limits& limits;
  /// The delivery to the client.
  delivery& way;
  time_point now;
  /// What the actor of the session is to do, in this order.
  effects out = {};
  /// Where it is told which requests are under way no more; null when nobody wants to know.
  finished_calls* over = nullptr;

  void to_server(message&& what) { out.emplace_back(forward{std::move(what)}); }
  /// Answers a request that an exchange brought.
  void answer(exchange_id exchange, std::string&& text) { way.answer(exchange, std::move(text), now, out); }
  /// The request of a client ended like that.
  void finished(exchange_id exchange, const std::string& id, call_outcome how) const {
    if (over && exchange != 0)
      over->push_back({exchange, id, how});
  }
};

} // namespace troupe::protocol
