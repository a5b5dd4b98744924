#pragma once

#include "protocol/exchange_id.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/stateless/request_state.hpp"
#include "protocol/stateless/stateless_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a `legacy_face` does, and how much of it. Beyond each limit a request is refused with an error.
struct legacy_face_rules {
  /// What every client of the lease can be asked.
  client_profile can = {};
  /// The lease, as a `requestState` names it.
  std::string lease = {};
  /// Bound to the caller.
  state_seal seal = {};
  /// Of the gateway, for `clientInfo`.
  std::string version = {};
  /// How long a parked call waits for its client.
  std::chrono::milliseconds parked = std::chrono::minutes{10};
  /// Requests that wait for the server to be initialized, that it works on, or that are parked.
  std::size_t calls = 1000;
  std::size_t parked_calls = 64;
  /// Bytes of what is kept: requests that wait, the params of calls that may be parked, questions, and answers that
  /// wait for a retry.
  std::size_t waiting_bytes = std::size_t{16} << 20;
  std::size_t listens = 32;
};

/// The face by which a server of the session era looks like one of 2026-07-28 to the requests of one lease. The server
/// is initialized when the first request needs it. A question that it has for the client ends the client's request with
/// `input_required` and parks the call, until a retry brings the answers.
class legacy_face {
public:
  explicit legacy_face(legacy_face_rules rules);
  /// A request of 2026-07-28.
  void asked(exchange_id exchange, message request, const request_envelope& envelope, time_point now,
             stateless_effects& out);
  /// The client closed the exchange, which cancels its request. Does nothing for an exchange that was answered.
  void withdrawn(exchange_id exchange, time_point now, stateless_effects& out);
  void server_sent(message from, time_point now, stateless_effects& out);
  /// All that is under way fails; the next request begins again with `initialize`.
  void server_lost(const std::string& why, time_point now, stateless_effects& out);
  /// The lease ends: parked questions are answered, calls cancelled, and all exchanges answered.
  void end(std::string_view why, stateless_effects& out);
  void tick(time_point now, stateless_effects& out);
  time_point deadline() const;

  /// Whether nothing is in flight, parked or listening.
  bool is_idle() const;
  /// Those that wait for the server to be initialized included.
  std::size_t calls_in_flight() const;
  std::size_t parked_calls() const;
  std::size_t listens() const;
};

} // namespace troupe::protocol
