#pragma once

#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/time.hpp"

#include <optional>
#include <string>
#include <utility>

namespace troupe::protocol {

/// Context for handling one fact in a session: the time, and the effects of its parts. Lives until the fact is handled.
struct session_turn {
  const session_limits& limits;
  /// The delivery to the client.
  delivery& way;
  time_point now;
  /// Effects for the session's actor, in this order.
  effects out = {};
  /// Receives the finished requests; null if not wanted.
  finished_calls* over = nullptr;
  /// End of the session by this fact: becomes the last effect.
  std::optional<end_session> end = {};

  void to_server(message&& what) { out.emplace_back(forward{std::move(what)}); }
  /// Answers a request of an exchange.
  void answer(exchange_id exchange, std::string&& text) { way.answer(exchange, std::move(text), now, out); }
  /// Notes the outcome of a client's request.
  void finished(exchange_id exchange, const std::string& id, call_outcome how) const {
    if (over && exchange != 0)
      over->push_back({exchange, id, how});
  }
};

} // namespace troupe::protocol
