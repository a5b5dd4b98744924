#pragma once

#include "protocol/remote/remote_caller.hpp"
#include "protocol/remote/remote_dialogue.hpp"
#include "protocol/text/words.hpp"
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

  /// The request waits for a connection.
  virtual void waits(http_call_id call) = 0;
  virtual void receive_event(http_call_id call, const call_begun& news, time_point now, remote_effects& out) = 0;
  virtual void receive_event(http_call_id call, const call_head& news, time_point now, remote_effects& out) = 0;
  virtual void receive_event(http_call_id call, const call_body& news, time_point now, remote_effects& out) = 0;
  virtual void receive_event(http_call_id call, const call_ended& news, time_point now, remote_effects& out) = 0;
  virtual void receive_event(http_call_id call, const call_failed& news, time_point now, remote_effects& out) = 0;
  virtual void receive_event(http_call_id call, const call_withheld& news, time_point now, remote_effects& out) = 0;
  virtual void tick(time_point now, remote_effects& out) = 0;
  virtual time_point deadline() const = 0;

  /// Refusal of `initialize`, if servers of the other transport answer this way; otherwise empty.
  virtual std::string transport_mismatch() const { return {}; }
  /// Refusal of `initialize` that servers of the other transport or stateless (2026-07-28) servers may give.
  virtual std::string possible_mismatch() const { return {}; }
  virtual void drop_all(remote_effects& out) = 0;
  /// Ends the session at the server, if the transport has a request for that.
  virtual void end_session(remote_effects&) const {}
};

/// Time limit for reading the rest of an answer that is no longer needed, so that its connection can be used again.
inline constexpr std::chrono::seconds longest_rest{5};

/// Error text for a request that waited for a connection in vain.
inline constexpr std::string_view never_sent =
    "The remote MCP server has too many requests under way: this one was not sent";

/// Error text for a request that was not sent for lack of a token.
inline std::string no_token_text(std::string_view why) {
  constexpr std::size_t longest = 500;
  return "No token for the remote MCP server: " + one_line(why, longest);
}

/// Deadline of a time limit that begins now; zero means no limit.
inline time_point until(time_point now, std::chrono::milliseconds patience) {
  return patience.count() > 0 ? now + patience : time_point::max();
}

} // namespace troupe::protocol
