#pragma once

#include "protocol/remote/remote_caller.hpp"
#include "protocol/remote/remote_dialogue.hpp"
#include "protocol/time.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

/// HTTP transport to a remote server; base class of Streamable HTTP and HTTP+SSE. Sends the messages that the dialogue
/// releases, and passes the server's messages to the dialogue. Ignores facts about HTTP requests that it has dropped.
class http_transport {
public:
  virtual ~http_transport() = default;

  /// Connects when due, and ends the session when due. Called after every fact once `initialize` has arrived.
  virtual void begin(time_point now, remote_effects& out) = 0;
  /// Whether messages can be sent.
  virtual bool ready() const = 0;
  virtual void post(message what, time_point now, remote_effects& out) = 0;

  /// The request waits for a connection (`waits`), or has got one (`begun`).
  virtual void waits(http_call_id call) = 0;
  virtual void begun(http_call_id call, time_point now) = 0;
  virtual void head(http_call_id call, int status, const http_fields& fields, time_point now, remote_effects& out) = 0;
  virtual void body(http_call_id call, std::string_view bytes, time_point now, remote_effects& out) = 0;
  virtual void ended(http_call_id call, time_point now, remote_effects& out) = 0;
  virtual void failed(http_call_id call, const std::string& why, time_point now, remote_effects& out) = 0;
  /// The request was not sent, for this reason.
  virtual void withheld(http_call_id call, const std::string& why, time_point now, remote_effects& out) = 0;
  virtual void tick(time_point now, remote_effects& out) = 0;
  virtual time_point deadline() const = 0;

  /// Refusal of `initialize`, if servers of the other transport answer this way; otherwise empty.
  virtual std::string mistaken() const { return {}; }
  /// Refusal of `initialize` that servers of the other transport or stateless (2026-07-28) servers may give.
  virtual std::string perhaps_mistaken() const { return {}; }
  virtual void drop_all(remote_effects& out) = 0;
  /// Ends the session at the server, if the transport has a request for that.
  virtual void farewell(remote_effects&) const {}
};

/// Time limit for reading the rest of an answer that is no longer needed, so that its connection can be used again.
inline constexpr std::chrono::seconds longest_rest{5};

/// Error text for a request that waited for a connection in vain.
inline constexpr std::string_view never_sent =
    "The remote MCP server has too many requests under way: this one was not sent";

/// Deadline of a time limit that begins now; zero means no limit.
inline time_point until(time_point now, std::chrono::milliseconds patience) {
  return patience.count() > 0 ? now + patience : time_point::max();
}

} // namespace troupe::protocol
