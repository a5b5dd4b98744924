#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/session/registry.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/guarded.hpp"
#include "net/io_thread.hpp"
#include "net/owned_descriptor.hpp"
#include "protocol/cluster/node_identity.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace troupe::actors {

/// Surroundings of the actors that talk to another process; all of it outlives them.
struct handover_home {
  caf::actor_system& system;
  std::vector<unit*> units;
  /// Thread of the first unit.
  net::io_thread& thread;
  /// Tokens that callers have sent.
  std::shared_ptr<caller_tokens> callers;
};

/// Bundles listening sockets for the other process; both stay open here. `admin` is empty without an admin listener.
/// Throws `std::runtime_error` with one line if a descriptor is below zero.
listening_sockets handed_sockets(int clients, std::optional<int> admin);

/// Handover of a gateway from an older process to this one, and from this one to a newer; see `gateway::hand_over`.
class handover {
public:
  /// Takes ownership of `link`, which leads to the older process; below zero if there is none. Throws
  /// `std::runtime_error` with one line if that process is not a compatible gateway.
  explicit handover(int link);

  /// Makes the registry report when it has no sessions left.
  void watch(registry_setup& to);
  /// Notifies the older process that this one is ready, and waits until it has handed over: clients may connect here
  /// then. Throws `std::runtime_error` with one line if it does not. No effect without an older process.
  void take_over(const handover_home& at, const registry_actor& registry);

  /// Throws `std::runtime_error` with one line while the older process has sessions, and after a handover.
  void check_is_alone() const;
  /// Hands over to the process at the other end of `link`; see `gateway::hand_over`. Calls `leave_to_it` once that is
  /// certain.
  void hand_over(int link, std::function<void()> then, std::chrono::milliseconds time, const handover_home& at,
                 const registry_actor& registry, const std::function<void()>& leave_to_it);

private:
  struct use {
    bool has_sessions = false;
    bool has_other = false;
    /// True until the registry knows of the older process.
    bool awaits_other = false;
    bool is_handed_over = false;
    /// Copy of the link's descriptor; set until the newer process is notified.
    net::owned_descriptor unnotified = {};
    std::function<void()> then = {};
  };

  void change_use(bool has_sessions, bool has_other);
  void finish();

  protocol::node_card self_;
  std::shared_ptr<net::owned_descriptor> link_;
  mutable net::guarded<use> use_;
};

} // namespace troupe::actors
