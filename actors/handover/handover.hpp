#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/session/registry.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/guarded.hpp"
#include "net/io_thread.hpp"
#include "net/other_process.hpp"
#include "net/owned_descriptor.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "protocol/handover/handover.hpp"

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

/// Duplicates of the listening sockets, which the older process keeps until the newer one has outlived it.
struct kept_sockets {
  net::owned_descriptor clients;
  /// Empty without an admin listener.
  net::owned_descriptor admin;
};

/// Time limits of the older process, from the handover on.
struct handover_times {
  /// For its sessions.
  std::chrono::milliseconds sessions;
  /// For their calls, after that.
  std::chrono::milliseconds grace;
};

/// Callbacks of the host, on a thread of the gateway; see `gateway::hand_over`.
struct handover_callbacks {
  std::function<void()> over;
  /// May be empty.
  std::function<void(bool hangs)> lost;
};

/// Handover of a gateway from an older process to this one, and from this one to a newer; see `gateway::hand_over`.
/// Carries out what `protocol::handover` decides.
class handover {
public:
  /// Takes ownership of `link`, which leads to the older process; below zero if there is none. Throws
  /// `std::runtime_error` with one line if that process is not a compatible gateway.
  handover(int link, event_log log);

  /// Makes the registry report when it has no sessions left.
  void watch(registry_setup& to);
  /// Notifies the older process that this one is ready, and waits until it has handed over: clients may connect here
  /// then, or if that process has ended before. Throws `std::runtime_error` with one line if it goes on
  /// without a handover. No effect without an older process.
  void take_over(const handover_home& at, const registry_actor& registry);

  /// Throws `std::runtime_error` with one line if this process cannot hand over now.
  void check_can_hand_over() const;
  /// Hands over to the process at the other end of `link`; see `gateway::hand_over`. Calls `leave_to_it` once that is
  /// certain. `sockets` are kept for `take_back`.
  void hand_over(net::owned_descriptor link, handover_callbacks report, kept_sockets sockets,
                 const handover_times& times, const handover_home& at, const registry_actor& registry,
                 const std::function<void()>& leave_to_it);
  /// Ends a handover whose newer process is gone. Returns the sockets to accept clients from. Throws
  /// `std::runtime_error` with one line if it is not gone.
  kept_sockets take_back();
  /// Closes the kept sockets before this process ends.
  void close_sockets();

private:
  struct use {
    protocol::handover machine;
    /// Copy of the link's descriptor; set until the newer process is notified.
    net::owned_descriptor unnotified = {};
    kept_sockets sockets = {};
    handover_callbacks report = {};
    /// For the calls of sessions whose time is over.
    std::chrono::milliseconds grace = {};
    registry_actor registry = {};
  };
  using reports = std::vector<std::function<void()>>;

  std::optional<protocol::node_life> await_handover() const;
  void take(protocol::peer_fact what);
  template <class Fact>
  void decide(Fact fact);
  void perform(protocol::handover_effect what, use& now, reports& out) const;

  event_log log_;
  protocol::node_card self_;
  std::shared_ptr<net::owned_descriptor> link_;
  /// The older process, and whether it sends signs of life.
  bool has_older_signs_ = false;
  net::other_process older_;
  mutable net::guarded<use> use_;
};

} // namespace troupe::actors
