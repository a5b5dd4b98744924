#pragma once

#include "protocol/catalog/merged_capabilities.hpp"
#include "protocol/message/list_kind.hpp"
#include "protocol/message/message.hpp"

#include <array>
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
  /// Initialise it with the session, otherwise when it is first used.
  bool eager = false;
  /// Its loss ends the session.
  bool ends_session = false;
  /// What it answered to `initialize` in an earlier session, a JSON object; empty when that is unknown.
  std::string known = {};
  /// An earlier session waited for its answer in vain.
  bool slow = false;
};

/// A server and where one session stands with it.
struct catalog_member {
  enum class phase { idle, greeting, ready };

  explicit catalog_member(catalog_server configured);

  std::uint64_t id() const { return server.id; }
  /// Learns what it can from its answer to `initialize`.
  void know(std::string_view result);
  /// Whether it may have what a list shows.
  bool may_list(list_group group) const;
  /// What the client may be told that it has.
  server_capabilities presumed() const;

  catalog_server server;
  phase is = phase::idle;
  /// What it can; nothing as long as that is unknown.
  std::optional<server_capabilities> capabilities = {};
  std::string instructions = {};
  /// It refused to be initialised, or was lost meanwhile: for now it counts as having nothing.
  bool failed = false;
  /// It was lost, and may have other lists when it comes back.
  bool stale = false;
  /// The lists, by kind, that the client has without its part.
  std::array<bool, 4> missing = {};
  /// Our ids of list requests, by kind, that the client did not wait for; 0 where there is none.
  std::array<std::uint64_t, 4> late = {};
  /// Requests that wait until it is initialised.
  std::vector<message> waiting = {};
};

} // namespace troupe::protocol
