#pragma once

#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "actors/upstream/configured_server.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/catalog/list_problems.hpp"
#include "protocol/session/session_admission.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::actors {

/// A configured server of a gateway, and the actor that runs it.
struct gateway_server {
  server_options options;
  /// Time limit of its calls.
  std::chrono::milliseconds request;
  member as_member;
  /// Maps callers that are one to the server to one text, see `server_setup::sharing_key`. Empty if it ignores callers.
  std::function<std::variant<std::string, protocol::unavailable_attribute>(const protocol::caller& who)> sharing_key;
  /// Whether all users share one process, at least while the server speaks 2026-07-28.
  bool is_one_process = false;
  /// Why an essential server is not ready; empty otherwise.
  std::string why_not_ready = {};
  std::shared_ptr<const failure_log> failures = {};
};

/// Servers of a gateway, in the order of its configuration. Each starts as a linked child of the registry.
class gateway_servers {
public:
  /// Returns the setup of a configured server.
  using setup_of = std::function<std::shared_ptr<const server_setup>(const server_options&)>;

  gateway_servers(pinned<reminded_registry_actor>* registry, setup_of make_setup)
      : registry_{registry}, make_setup_{std::move(make_setup)} {}

  /// Starts new servers; unchanged servers keep running with their state. Returns the servers that are no longer
  /// wanted, which still run.
  std::vector<gateway_server> change(std::vector<server_options> wanted);
  /// Starts a new actor for a failed server. Returns the number of the failed one; empty when the actor is not in the
  /// list, such as that of a removed server.
  std::optional<std::uint64_t> replace(const caf::actor_addr& failed);
  /// Stores the server's answer to `initialize`.
  void remember(server_known&& what);
  /// Records a problem. Returns its text if it is new.
  std::optional<std::string> note(name_omitted&& what);
  std::optional<std::string> note(list_part_changed&& what, protocol::time_point now);
  /// Records whether an essential server is ready.
  void note(const caf::strong_actor_ptr& server, server_readiness&& what);
  /// Essential servers that are not ready.
  std::vector<protocol::unready> unready() const;
  std::int64_t count_unready() const;
  /// Problems of servers that are configured together.
  std::vector<std::string> problems();

  const std::vector<gateway_server>& all() const { return all_; }
  std::vector<member> members() const;
  std::vector<protocol::server_paths::server> paths() const;
  /// Longest time limit of a call, over all servers.
  std::chrono::milliseconds longest_request() const;

private:
  gateway_server begin(server_options options);
  /// Null when the server is no longer configured.
  gateway_server* find(std::uint64_t id);
  /// Drops problems of servers that are no longer configured.
  void forget_problems();

  pinned<reminded_registry_actor>* registry_;
  setup_of make_setup_;
  std::uint64_t last_ = 0;
  std::vector<gateway_server> all_;
  protocol::name_clashes clashes_;
  protocol::failed_lists failed_lists_;
};

} // namespace troupe::actors
