#pragma once

#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/time.hpp"

#include <string>
#include <utility>

namespace troupe::protocol {

/// One fact that a session is told: when, and what its parts say in turn. Lasts as long as the telling.
struct session_turn {
  const session_limits& limits;
  /// How the client is reached.
  delivery& way;
  time_point now;
  /// What the actor of the session is to do, in this order.
  effects out = {};

  void to_server(message&& what) { out.emplace_back(forward{std::move(what)}); }
  /// Answers a request that an exchange brought.
  void answer(exchange_id exchange, std::string&& text) { way.answer(exchange, std::move(text), now, out); }
};

} // namespace troupe::protocol
