#pragma once

#include "protocol/remote/http_transport.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace troupe::protocol {

/// Client side of one session with a remote MCP server. Every request that is not cancelled gets exactly one answer, an
/// error if the server disconnects. If `initialize` comes first, revisions with sessions (2024-11-05 to 2025-11-25) are
/// spoken, over Streamable HTTP, or over HTTP+SSE if the server does not know the former. If `server/discover` comes
/// first, 2026-07-28 is spoken. While the era is unknown, `server/discover` may also follow a refusal of `initialize`;
/// the session ends if it fails without showing the era. After the end, a new session needs a new object.
class remote_server {
public:
  /// `seed` randomizes the pauses between attempts to reconnect.
  remote_server(remote_options options, std::uint64_t seed);
  remote_server(const remote_server&) = delete;
  remote_server& operator=(const remote_server&) = delete;

  // -- facts -----------------------------------------------------------------------
  remote_effects client_sent(message from, time_point now);
  remote_effects call_told(const call_event& news, time_point now);
  /// The call waits for a connection.
  void call_waits(http_call_id call);
  /// No more credentials are available: fails the requests in flight and ends the session.
  remote_effects credentials_lost(const std::string& why, time_point now);
  /// `server/discover` was refused: starts over with `initialize`. Uses HTTP+SSE if `initialize` was refused earlier in
  /// a way that servers of HTTP+SSE also use.
  remote_effects start_again(time_point now);
  /// Ends the session, because the server cannot be used.
  remote_effects give_up(const std::string& why, time_point now);
  remote_effects tick(time_point now);
  /// The user leaves; no calls may follow.
  remote_effects leave();

  /// Time at which `tick` is due.
  time_point deadline() const;

  // -- queries
  std::size_t requests_in_flight() const { return dialogue_.requests_in_flight(); }

private:
  template <class Fact>
  remote_effects told(time_point now, Fact fact);
  void receive(const call_begun&, http_call_id call, time_point now, remote_effects& out);
  void receive(const call_head& head, http_call_id call, time_point now, remote_effects& out);
  void receive(const call_body& body, http_call_id call, time_point now, remote_effects& out);
  void receive(const call_ended&, http_call_id call, time_point now, remote_effects& out);
  void receive(const call_failed& how, http_call_id call, time_point now, remote_effects& out);
  void receive(const call_withheld& how, http_call_id call, time_point now, remote_effects& out);
  std::unique_ptr<http_transport> with_sessions();
  std::unique_ptr<http_transport> over_sse();
  void note_refusal();
  void open_stateless(remote_effects& out);
  void settle(time_point now, remote_effects& out);
  bool over() const { return left_ || dialogue_.lost(); }

  const remote_options options_;
  remote_caller caller_;
  remote_dialogue dialogue_;
  std::uint64_t seed_;
  std::unique_ptr<http_transport> transport_;
  /// Refusal of `initialize` over Streamable HTTP that may also come from a server of HTTP+SSE.
  std::string perhaps_mistaken_;
  bool left_ = false;
};

} // namespace troupe::protocol
