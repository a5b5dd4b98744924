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

/// Where the actors live that speak with another process. All of it outlives them.
struct handover_home {
  caf::actor_system& system;
  std::vector<unit*> units;
  /// That of the first unit.
  net::io_thread& thread;
  /// The tokens that callers have shown.
  std::shared_ptr<caller_tokens> callers;
};

/// Descriptors of the listening sockets for the other process: both stay open here. `admin` is empty without an admin
/// listener. Throws `std::runtime_error` with one line when one of them is below zero.
listening_sockets handed_sockets(int clients, std::optional<int> admin);

/// The processes before and after this one, between which a gateway is handed over; see `gateway::hand_over`.
class handover {
public:
  /// The process before is at the other end of `link`, which is taken over; there is none when it is below zero. Throws
  /// `std::runtime_error` with one line when that speaks otherwise.
  explicit handover(int link);

  /// The registry is to tell when it has no sessions.
  void watch(registry_setup& to);
  /// Tells the process before that this one is ready, and waits until it has handed over: the next to accept clients is
  /// this one. Throws `std::runtime_error` with one line when it does not. Does nothing without one.
  void take_over(const handover_home& at, const registry_actor& registry);

  /// Throws `std::runtime_error` with one line while the process before has sessions, and once it has handed over.
  void check_is_alone() const;
  /// The process at the other end of `link` serves from now on; see `gateway::hand_over`. `leave_to_it` is called once
  /// that is certain.
  void hand_over(int link, std::function<void()> then, std::chrono::milliseconds time, const handover_home& at,
                 const registry_actor& registry, const std::function<void()>& leave_to_it);

private:
  struct use {
    bool has_sessions = false;
    bool has_other = false;
    /// The registry is about to hear of another process.
    bool awaits_other = false;
    bool is_handed_over = false;
    /// The end of the link, once more, until the other process has been told.
    net::owned_descriptor untold = {};
    std::function<void()> then = {};
  };

  void change_use(bool has_sessions, bool has_other);
  void finish();

  protocol::node_card self_;
  std::shared_ptr<net::owned_descriptor> link_;
  mutable net::guarded<use> use_;
};

} // namespace troupe::actors
