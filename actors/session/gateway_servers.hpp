#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/configured_server.hpp"
#include "protocol/catalog/list_problems.hpp"
#include "protocol/session/session_admission.hpp"

#include <chrono>
#include <cstddef>
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
  /// How long its calls may take.
  std::chrono::milliseconds request;
  member as_member;
  /// Of a server that is told who asks: which callers are one to it, see `server_setup::tell_apart`. Empty for others.
  std::function<std::variant<std::string, protocol::untold>(const protocol::caller& who)> tell_apart;
  /// All its users meet one process of it, at least while it speaks 2026-07-28.
  bool is_one_process = false;
  /// Why it is essential and not ready; empty otherwise.
  std::string why_not_ready = {};
};

/// The servers of a gateway, in the order of its configuration. Each begins as a linked child of the registry.
class gateway_servers {
public:
  /// Says how a configured server is run.
  using setup_of = std::function<std::shared_ptr<const server_setup>(const server_options&)>;

  gateway_servers(pinned<reminded_registry_actor>* registry, setup_of make_setup)
      : registry_{registry}, make_setup_{std::move(make_setup)} {}

  /// Begins those that are new. Those that are the same stay as they are, with all that they hold. Gives those that are
  /// no longer wanted, which still run.
  std::vector<gateway_server> change(std::vector<server_options> wanted);
  /// Begins another in the place of one that has failed. Gives the number of that; nothing when the actor is none of
  /// them, such as one that was removed.
  std::optional<std::uint64_t> replace(const caf::actor_addr& failed);
  /// What a server has answered to `initialize`.
  void remember(server_known&& what);
  /// Says what is wrong, when that is new.
  std::optional<std::string> note(name_left_out&& what);
  std::optional<std::string> note(list_part_changed&& what, protocol::time_point now);
  /// What an essential server says of itself.
  void note(const caf::strong_actor_ptr& server, server_readiness&& what);
  /// Those that are essential and not ready.
  std::vector<protocol::unready> unready() const;
  std::int64_t count_unready() const;
  /// What is wrong with servers that are configured together.
  std::vector<std::string> problems();

  const std::vector<gateway_server>& all() const { return all_; }
  std::vector<member> members() const;
  std::vector<protocol::server_paths::server> paths() const;
  /// The longest time that a call of one of them may take.
  std::chrono::milliseconds longest_request() const;

private:
  gateway_server begin(server_options options);
  /// nullptr when it is configured no more.
  gateway_server* find(std::uint64_t id);
  /// Of servers that are configured no more.
  void forget_problems();

  pinned<reminded_registry_actor>* registry_;
  setup_of make_setup_;
  std::uint64_t last_ = 0;
  std::vector<gateway_server> all_;
  protocol::name_clashes clashes_;
  protocol::failed_lists failed_lists_;
};

} // namespace troupe::actors
