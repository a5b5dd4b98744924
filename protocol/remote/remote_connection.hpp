#pragma once

#include "protocol/log.hpp"
#include "protocol/modern_server/server_as_legacy.hpp"
#include "protocol/remote/http_transport.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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
  remote_effects receive_event(const call_event& news, time_point now);
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
  remote_effects effects_of(time_point now, Fact fact);
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
  std::string possible_mismatch_;
  bool left_ = false;
};

/// Connection to a remote server for one user with sessions. Combines `remote_server` with `server_as_legacy`, which
/// adapts stateless (2026-07-28) servers, as long as that is needed. The object cannot be used again once disconnected.
class remote_connection {
public:
  using effect = std::variant<send_call, drop_call, release_call, send_last_request, log_note, deliver_to_user,
                              note_era, lose_server>;
  using effects = std::vector<effect>;

  /// A server that is configured to speak with sessions needs no adapter. `seed`: see `remote_server`.
  remote_connection(const remote_options& options, server_as_legacy_rules adapter, std::uint64_t seed);
  remote_connection(const remote_connection&) = delete;
  remote_connection& operator=(const remote_connection&) = delete;

  /// `envelope`: see `stateless_server`.
  effects user_sent(message what, time_point now, envelope_of_user envelope = nullptr);
  /// The request waits for a connection or a token.
  void call_waits(http_call_id call) { server_.call_waits(call); }
  effects receive_event(const call_event& news, time_point now);
  /// See `remote_server`.
  effects credentials_lost(const std::string& why, time_point now);
  effects tick(time_point now);
  /// The user leaves: drops open requests and notifies the server.
  effects leave();

  /// Time at which `tick` is due.
  time_point deadline() const;

private:
  effects settled(time_point now);
  void process(time_point now);
  void settle(deliver_message& said, time_point now);
  void settle(lose_server& how, time_point now);

  // -- effects of `remote_server`
  void carry_out(remote_effects all);
  void perform(deliver_message&& said) { unprocessed_.emplace_back(std::move(said)); }
  void perform(lose_server&& how) { unprocessed_.emplace_back(std::move(how)); }
  template <class Effect>
  void perform(Effect&& other) {
    out_.emplace_back(std::forward<Effect>(other));
  }
  // -- effects of `server_as_legacy`
  void carry_out(adapter_effects all, time_point now);
  void perform(deliver_to_server&& effect, time_point now) {
    carry_out(server_.client_sent(std::move(effect.what), now));
  }
  void perform(start_again&&, time_point now) { carry_out(server_.start_again(now)); }
  void perform(give_up&& effect, time_point now) { carry_out(server_.give_up(effect.why, now)); }
  template <class Effect>
  void perform(Effect&& other, time_point) {
    out_.emplace_back(std::forward<Effect>(other));
  }

  remote_server server_;
  /// Empty if the server is known to speak with sessions.
  std::optional<server_as_legacy> adapter_;
  /// Messages and disconnection of the server that `adapter_` has not processed yet.
  std::deque<std::variant<deliver_message, lose_server>> unprocessed_;
  effects out_;
};

} // namespace troupe::protocol
