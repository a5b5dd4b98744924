#pragma once

#include "protocol/log.hpp"
#include "protocol/modern_server/server_as_legacy.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/remote/remote_server.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

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
  effects told(const call_event& news, time_point now);
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
  void take(remote_effects those);
  void apply(deliver_message&& said) { unprocessed_.emplace_back(std::move(said)); }
  void apply(lose_server&& how) { unprocessed_.emplace_back(std::move(how)); }
  template <class Effect>
  void apply(Effect&& other) {
    out_.emplace_back(std::forward<Effect>(other));
  }
  // -- effects of `server_as_legacy`
  void take(adapter_effects those, time_point now);
  void apply(deliver_to_server&& effect, time_point now) { take(server_.client_sent(std::move(effect.what), now)); }
  void apply(start_again&&, time_point now) { take(server_.start_again(now)); }
  void apply(give_up&& effect, time_point now) { take(server_.give_up(effect.why, now)); }
  template <class Effect>
  void apply(Effect&& other, time_point) {
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
