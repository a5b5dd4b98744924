#pragma once

#include "protocol/delivery/backlog.hpp"
#include "protocol/session/agreement.hpp"
#include "protocol/session/calls.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_turn.hpp"

#include <cstddef>
#include <cstdint>

namespace troupe::protocol {

/// The requests of a session's server that its client has not answered yet, each under an id and a progress token of
/// ours; and what the server says too early, which waits until the client is ready for it.
class server_requests {
public:
  explicit server_requests(const session_limits& limits) : held_{limits.held, limits.held_bytes} {}

  // -- what waits
  /// A request that finds no room is refused.
  void hold(message&& from, session_turn& turn);
  /// Client and server have agreed: notifications wait no more, requests do.
  void release_notifications(session_turn& turn);
  /// The client is initialized: nothing waits any more.
  void release_all(const agreement& agreed, session_turn& turn);

  // -- new ones
  /// Sends a request of the server to the client, or refuses it.
  void take(message&& from, const agreement& agreed, session_turn& turn);

  // -- those under way
  /// The server cancelled a request, which may be in flight or still waiting.
  void withdraw(message&& from, session_turn& turn);
  /// The client made progress with one.
  void progressed(message&& from, session_turn& turn);
  /// The client answers; an answer to nothing is dropped.
  void answered(message&& from, session_turn& turn);
  /// Fails those whose time is over.
  void fail_late(session_turn& turn);

  /// Our ids continue after this number, so that no question from before the session was restored has one of them.
  void count_from(std::uint64_t last) { questions_.count_from(last); }
  std::size_t size() const { return questions_.size(); }
  /// The earliest deadline.
  time_point deadline() const { return questions_.deadline(); }

private:
  void put(message&& from, session_turn& turn);

  calls questions_;
  backlog held_;
};

} // namespace troupe::protocol
