#pragma once

#include "protocol/delivery/delivery.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/gateway_drain.hpp"
#include "protocol/session/server_paths.hpp"
#include "protocol/session/session_places.hpp"
#include "protocol/session/session_record.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe::protocol {

/// Decides which sessions may begin at a gateway, which may be restored there after their node died, and which keep a
/// record in the store. `is_ours` tells whether no other node can own the record in question.
class session_admission {
public:
  /// `merges_one` is for `server_paths`.
  session_admission(session_places places, bool merges_one) : places_{std::move(places)}, paths_{merges_one} {}

  // -- facts
  /// The gateway is a node of a cluster, perhaps with a store that keeps records of sessions.
  void join_cluster(bool has_store);
  server_paths& paths() { return paths_; }
  gateway_drain& stopping() { return stopping_; }
  session_places& places() { return places_; }

  // -- decisions
  const server_paths& paths() const { return paths_; }
  const gateway_drain& stopping() const { return stopping_; }
  /// Why no session begins at a path; nothing when one may, if there is room. `request` is the id of what asks for it,
  /// as a JSON token.
  std::optional<rejection> refuse(std::string_view path, std::string request) const;
  /// Whose session has to end before one of the address may begin; nothing when there is room.
  std::optional<std::string> who_makes_room(const std::string& address) const {
    return places_.who_makes_room(address);
  }
  /// Why none begins, when nobody could make room.
  rejection refuse_for_room(const std::string& address, std::string request) const;
  /// Whether a session keeps a record. One of HTTP+SSE lives with its connection.
  bool keeps(transport via, std::string_view path, bool is_ours) const;
  /// The record that a session goes on from, or why it does not go on here. What can never be restored is gone. What
  /// only cannot be now, another node may have, or this one later.
  std::variant<session_record, rejection> restore(std::string_view record, bool is_ours) const;

private:
  session_places places_;
  bool has_store_ = false;
  server_paths paths_;
  gateway_drain stopping_;
};

} // namespace troupe::protocol
