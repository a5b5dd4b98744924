#pragma once

#include "protocol/remote/remote_caller.hpp"
#include "protocol/remote/remote_dialogue.hpp"
#include "protocol/time.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

/// An HTTP transport to a remote server, as the base of Streamable HTTP and HTTP+SSE. It sends the messages that the
/// dialogue lets through, and hands the dialogue what the server says. Facts about HTTP requests that it has dropped
/// are ignored.
class http_transport {
public:
  virtual ~http_transport() = default;

  /// Connects when that is due, and ends the session when that is. Called after every fact once `initialize` has come.
  virtual void begin(time_point now, remote_effects& out) = 0;
  /// Whether messages can be sent.
  virtual bool ready() const = 0;
  virtual void post(message what, time_point now, remote_effects& out) = 0;

  /// The request waits for a connection; and then it has one.
  virtual void waits(http_call_id call) = 0;
  virtual void begun(http_call_id call, time_point now) = 0;
  virtual void head(http_call_id call, int status, const http_fields& fields, time_point now, remote_effects& out) = 0;
  virtual void body(http_call_id call, std::string_view bytes, time_point now, remote_effects& out) = 0;
  virtual void ended(http_call_id call, time_point now, remote_effects& out) = 0;
  virtual void failed(http_call_id call, const std::string& why, time_point now, remote_effects& out) = 0;
  /// The request was never sent, and that is why.
  virtual void withheld(http_call_id call, const std::string& why, time_point now, remote_effects& out) = 0;
  virtual void tick(time_point now, remote_effects& out) = 0;
  virtual time_point deadline() const = 0;

  /// How `initialize` was answered, when that is what servers of the other transport do; otherwise empty.
  virtual std::string mistaken() const { return {}; }
  /// The same, when it may as well be what servers of 2026-07-28 do.
  virtual std::string perhaps_mistaken() const { return {}; }
  virtual void drop_all(remote_effects& out) = 0;
  /// Ends the session at the server, where the transport has a request for that.
  virtual void farewell(remote_effects&) const {}
};

/// How long the rest of an answer that nobody needs is read: a connection whose answer was read to its end is used
/// again.
inline constexpr std::chrono::seconds longest_rest{5};

/// The error of a request that waited for a connection in vain.
inline constexpr std::string_view never_sent =
    "The remote MCP server has too many requests under way: this one was not sent";

/// When a time limit that begins now ends; zero is no limit.
inline time_point until(time_point now, std::chrono::milliseconds patience) {
  return patience.count() > 0 ? now + patience : time_point::max();
}

} // namespace troupe::protocol
