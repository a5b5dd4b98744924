#pragma once

#include "protocol/remote/http_transport.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// One session with a remote MCP server: messages go in, messages come out, and every request that was not cancelled is
/// answered exactly once, with an error when the server is lost. When `initialize` comes first, it is spoken to in
/// revisions with sessions (2024-11-05 to 2025-11-25), over Streamable HTTP, or over HTTP+SSE when it does not know
/// that; when `server/discover` does, in 2026-07-28. Where the era is to be found out, that may follow a refusal of
/// `initialize`; the server is lost when it fails without saying anything about the era. After a loss the object is
/// spent: who wants a new session makes a new one.
class remote_server {
public:
  /// `seed` is that of the jitter between attempts to reconnect.
  remote_server(remote_options options, std::uint64_t seed);
  remote_server(const remote_server&) = delete;
  remote_server& operator=(const remote_server&) = delete;

  // -- facts -----------------------------------------------------------------------
  remote_effects client_sent(message from, time_point now);
  /// The call waits for a connection.
  void call_waits(http_call_id call);
  /// It has waited, and goes out now.
  remote_effects call_begun(http_call_id call, time_point now);
  remote_effects call_head(http_call_id call, int status, const http_fields& fields, time_point now);
  remote_effects call_body(http_call_id call, std::string_view bytes, time_point now);
  /// The answer is complete.
  remote_effects call_ended(http_call_id call, time_point now);
  /// `is_shortage` when we had no descriptor or memory left to connect.
  remote_effects call_failed(http_call_id call, const std::string& why, time_point now, bool is_shortage = false);
  /// It was not sent: there are no credentials for it.
  remote_effects call_withheld(http_call_id call, const std::string& why, time_point now);
  /// There will be no credentials any more: what is under way fails, and the server is lost.
  remote_effects credentials_lost(const std::string& why, time_point now);
  /// `server/discover` was refused: `initialize` follows, as if nothing had been before. It goes over HTTP+SSE when it
  /// was refused before as servers of that do, too.
  remote_effects start_again(time_point now);
  /// The server is of no use.
  remote_effects give_up(const std::string& why, time_point now);
  remote_effects tick(time_point now);
  /// The user goes. Nothing follows.
  remote_effects leave();

  /// When `tick` has something to do.
  time_point deadline() const;

  // -- for who looks from outside
  std::size_t requests_in_flight() const { return dialogue_.requests_in_flight(); }

private:
  template <class Fact>
  remote_effects told(time_point now, Fact fact);
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
  /// How `initialize` was refused over Streamable HTTP, when a server of HTTP+SSE may do that.
  std::string perhaps_mistaken_;
  bool left_ = false;
};

} // namespace troupe::protocol
