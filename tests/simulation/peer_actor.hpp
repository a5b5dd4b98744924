#pragma once

#include "tests/simulation/exchange.hpp"
#include "tests/simulation/forwarded_requests.hpp"
#include "tests/simulation/gate_actor.hpp"
#include "tests/simulation/network.hpp"

#include "protocol/handover/handover.hpp"
#include "protocol/handover/process_watch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace troupe::tests::simulation {

/// Mirrors `actors/handover/handover_peer.cpp` and `process_link.cpp`: the other of the two processes of a handover, at
/// the other end of a link. Forwards the requests for its sessions, and watches it.
class peer_actor final : public actor {
public:
  struct setup {
    std::shared_ptr<link_end> link;
    /// In the older process: until when it keeps its sessions, and the time for their calls after it.
    std::optional<time_point> until = {};
    std::optional<time_point::duration> grace = {};
    std::function<bool()> may_sign = [] { return true; };
    std::function<void(peer_fact)> report;
  };

  peer_actor(std::shared_ptr<process> at, node& of, network& net, setup how);

  /// Takes the gate for the requests of the other process.
  void own(std::shared_ptr<gate_actor> gate) { gate_ = std::move(gate); }
  gate_actor& gate() { return *gate_; }
  /// The two processes know of each other.
  void begin(node_life other);
  // -- from the registry
  void submit(request what);
  void drains(bool is_last, bool at_once);
  // -- from the other process
  void answered(std::uint64_t number, answer what);
  void heard(peer_sign what);
  void closed();
  // -- from the gate
  void gate_ended(bool is_normal);

  const std::shared_ptr<link_end>& link() const { return how_.link; }
  std::size_t pending() const { return forwarded_.size(); }

private:
  void tick() override;
  void ended() override;
  void pass_on(request what);
  void handle(std::uint64_t number, answer& what);
  void sign();
  void sign_off();
  void send(peer_sign what);
  void lose(peer_fact how);
  void end_when_idle();
  void leave();
  void hurry();
  void quit_after_gate(bool is_normal);

  node& node_;
  network& net_;
  setup how_;
  node_life other_ = {};
  std::shared_ptr<gate_actor> gate_;
  forwarded_requests forwarded_;
  std::optional<process_watch> watch_;
  bool drains_ = false;
  bool is_lost_ = false;
  bool leaves_ = false;
  bool has_answered_all_ = false;
};

} // namespace troupe::tests::simulation
