#pragma once

#include "protocol/http/http.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace troupe::net {

/// One HTTP request and its answer: the interface between a connection and the code that answers.
///
/// All but the destructor run on the connection's thread. An answer is either one `respond`, or `begin_events`,
/// any number of `write`, and `end`. None of them blocks or fails: when the client is gone, what is written is dropped.
class exchange {
public:
  /// Gives what `on_abandoned` made when there is no answer; closes the connection when an answer is incomplete.
  /// Callable from any thread.
  virtual ~exchange() = default;

  /// The request, until its answer is complete or a stream begins, also when the client is gone; its body may be taken.
  /// Whoever destroys the exchange without an answer may read it before, on his thread.
  virtual protocol::http_request& request() = 0;

  /// Tells, once, that the client went away before its answer was complete, be it before this call. Never told from
  /// inside a call to the exchange, nor after its destruction.
  virtual void on_closed(std::function<void()> tell) = 0;

  /// Makes the answer for an exchange that is destroyed without one. Runs on the connection's thread.
  virtual void on_abandoned(protocol::http_response (*make)()) = 0;

  /// Tells that what the request is for lives on another thread, by its number among those of the listener. A
  /// connection whose requests go on to be for that thread moves there.
  virtual void belongs_to(std::size_t thread) = 0;

  virtual void respond(protocol::http_response answer) = 0;

  /// Sends the head of an event stream at once.
  virtual void begin_events(const protocol::http_response& head) = 0;
  /// Sends events. A client that does not read loses its connection rather than grow our memory.
  virtual void write(std::string events) = 0;
  virtual void end() = 0;
};

} // namespace troupe::net
