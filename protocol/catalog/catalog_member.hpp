#pragma once

#include "protocol/catalog/merged_capabilities.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// A server as it is configured among others.
struct catalog_server {
  /// Never used again for another.
  std::uint64_t id = 0;
  std::string name;
  /// What precedes its tools' and prompts' names; empty when nothing does.
  std::string prefix = {};
  /// Nothing precedes them as long as it is the only server.
  bool plain_alone = false;
  /// Initialise it with the session, otherwise when it is first used.
  bool eager = false;
  /// Its loss ends the session.
  bool ends_session = false;
  /// What it answered to `initialize` in an earlier session, a JSON object; empty when that is unknown.
  std::string known = {};
  /// An earlier session waited for its answer in vain.
  bool slow = false;
};

/// A server, and how far one session has initialized it.
struct catalog_member {
  /// Whether it was sent `initialize`, and has answered.
  enum class phase { idle, greeting, ready };

  explicit catalog_member(catalog_server configured);

  std::uint64_t id() const { return server.id; }
  bool ready() const { return is == phase::ready; }
  /// Learns what it can from its answer to `initialize`.
  void know(std::string_view result);
  /// Whether it may have items for a list.
  bool may_list(list_group group) const;
  /// What the client is told that it has, for the whole session: one that cannot be started now may be in a moment.
  server_capabilities presumed() const;
  /// Drops a waiting request by our id of it; false when it does not wait.
  bool drop_waiting(std::uint64_t own_id);

  catalog_server server;
  /// What precedes its tools' and prompts' names now, as names may have it.
  std::string prefix = {};
  phase is = phase::idle;
  /// Its capabilities; nothing while they are unknown.
  std::optional<server_capabilities> capabilities = {};
  /// It refused to be initialised, or was lost meanwhile: nothing of it can be had for now.
  bool failed = false;
  /// Its `instructions` for models; empty when it has none.
  std::string instructions = {};
  /// Requests that wait until it is initialised.
  std::vector<message> waiting = {};
};

} // namespace troupe::protocol
