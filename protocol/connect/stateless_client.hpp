#pragma once

#include "protocol/connect/connect_effects.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/same_id.hpp"
#include "protocol/modern_client/server_as_modern.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A client of 2026-07-28 on stdio, and the face by which its server looks like one of that revision. Each request is
/// an exchange of its own.
class stateless_client {
public:
  /// What comes of a fact: lines for the client, messages for the server.
  struct outcome {
    std::vector<std::string> lines = {};
    std::vector<message> for_server = {};
    /// Before it hears them, a session of its own has to begin.
    bool is_anew = false;
  };

  /// `seal`: see `request_state`.
  stateless_client(std::string version, state_seal seal);
  stateless_client(const stateless_client&) = delete;
  stateless_client& operator=(const stateless_client&) = delete;

  outcome client_sent(message what, time_point now);
  outcome server_sent(message what, time_point now);
  outcome tick(time_point now);
  /// The server's session ends: all that is under way is answered, and the next request begins anew.
  outcome end(std::string_view why);

  /// When `tick` has something to do.
  time_point deadline() const { return face_ ? face_->deadline() : time_point::max(); }
  /// Whether the server was found to be of 2026-07-28, so that requests pass as they are.
  bool is_passing() const { return face_ && face_->is_passing(); }
  /// Requests whose answers are awaited, but for those that listen.
  std::size_t calls_in_flight() const { return face_ ? face_->calls_in_flight() : 0; }

private:
  void ask(message&& request, time_point now, outcome& out);
  void begin(const client_profile& can, outcome& out);
  void cancel(const message& cancelled, time_point now, outcome& out);
  void take(stateless_effects those, outcome& out);

  const std::string version_;
  const state_seal seal_;
  /// Made by the first request; and by a later one that says that its client can be asked more, when nothing is under
  /// way: a server with sessions hears that when its session begins.
  std::unique_ptr<server_as_modern> face_;
  /// What some request has said that the client can be asked.
  client_profile can_;
  exchange_id last_ = 0;
  /// Exchanges by the id of their request, and back.
  std::map<std::string, exchange_id, id_less> by_id_;
  std::map<exchange_id, std::string> ids_;
};

} // namespace troupe::protocol
