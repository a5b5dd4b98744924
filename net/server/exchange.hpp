#pragma once

#include "protocol/http/http.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace troupe::net {

/// HTTP request and its answer: the interface between a connection and the code that answers.
///
/// All but the destructor run on the connection's thread. An answer is either one `respond`, or `begin_events`, any
/// number of `write`, and `end`. None of them blocks or fails: when the client is gone, writes are dropped.
class exchange {
public:
  /// Sends the answer of `on_abandoned` when there is none; closes the connection when an answer is incomplete.
  /// Callable from any thread.
  virtual ~exchange() = default;

  /// Request, until its answer is complete or a stream begins, also when the client is gone; its body may be taken. A
  /// thread that destroys the exchange without an answer may read the request before.
  virtual protocol::http_request& request() = 0;

  /// Calls `tell` once when the client disconnects before its answer is complete, or did so before this call. Never
  /// called from inside a call to the exchange, nor after its destruction.
  virtual void on_closed(std::function<void()> tell) = 0;

  /// Sets how the answer is made for an exchange destroyed without one. `make` runs on the connection's thread.
  virtual void on_abandoned(protocol::http_response (*make)()) = 0;

  /// Notes that the request's session lives on another thread, by its number among those of the listener. A connection
  /// whose requests go on to be for that thread moves there.
  virtual void belongs_to(std::size_t thread) = 0;

  virtual void respond(protocol::http_response answer) = 0;

  /// Sends the head of an event stream at once.
  virtual void begin_events(const protocol::http_response& head) = 0;
  /// Sends events. A client that does not read loses its connection, as it would grow our memory.
  virtual void write(std::string events) = 0;
  virtual void end() = 0;
};

} // namespace troupe::net
