#pragma once

#include "tests/simulation/actor.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/peer_actor.hpp"

#include "protocol/handover/handover.hpp"
#include "protocol/handover/predecessor.hpp"
#include "protocol/handover/successor.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace troupe::tests::simulation {

/// The host of processes that hand over to each other: what the kernel does for them.
class process_host {
public:
  virtual ~process_host() = default;
  /// Starts a process at the other end of a new link. Returns this end.
  virtual std::shared_ptr<link_end> start_process(node& by) = 0;
  /// Kills the process at the other end of a link.
  virtual void kill_other(const link_end& end) = 0;
  /// Whether the process at the other end has ended.
  virtual bool has_ended(const link_end& end) const = 0;
  virtual void exits(node& who) = 0;
};

/// Mirrors `deploy/program/handover.cpp`, the main loop around it, and `actors/handover/handover.cpp`: runs
/// `successor`, `predecessor` and `handover` of one process.
class upgrade_actor final : public actor {
public:
  upgrade_actor(std::shared_ptr<process> at, node& of, network& net, process_host& host);

  // -- from the host
  /// The process is ready. `older` leads to the process that has started it; null without.
  void begin(std::shared_ptr<link_end> older);
  /// SIGUSR2 and SIGTERM.
  void upgrade();
  void stop();
  /// Checks whether another process has ended.
  void look();
  // -- from the other process
  void heard_card(node_life from);
  void heard_hand_over(node_life from);
  void closed(const std::shared_ptr<link_end>& end);
  // -- from the registry
  void use(bool has_sessions, bool has_other);
  void registry_ended();

  bool accepts() const { return accepts_; }
  /// Whether it does not stop, and no process to which it handed over has been told to stop.
  bool may_accept() const { return !leaves_by_ && !may_end_sessions_; }
  /// Whether the listening socket stays open, even if nobody accepts.
  bool has_socket() const { return accepts_ || keeps_socket_ || predecessor_; }
  /// Whether it waits for the older process.
  bool is_starting() const { return predecessor_.has_value(); }
  const std::shared_ptr<peer_actor>& peer() const { return peer_; }

private:
  void tick() override;
  void handle(predecessor::order what);
  void serve() { accepts_ = true; }
  void await_older();
  // -- the older process
  void start();
  void complete(node_life newer);
  void abandon(std::string_view why);
  void watch_over();
  void perform(successor::order what);
  void take_back();
  void take(peer_fact what);
  void decide(const handover_effects& all);
  void perform(handover_effect what);
  std::shared_ptr<peer_actor> make_peer(peer_actor::setup how);
  // -- the end
  void leave(std::string_view why);
  void drain_in_time();

  node& node_;
  network& net_;
  process_host& host_;
  handover handover_;
  successor successor_;
  std::optional<predecessor> predecessor_;
  std::shared_ptr<link_end> older_;
  node_life older_life_ = {};
  std::shared_ptr<link_end> newer_;
  std::shared_ptr<peer_actor> peer_;
  /// Report of the gateway that it has lost the newer process, and whether that hangs.
  std::optional<bool> loss_;
  bool accepts_ = false;
  bool keeps_socket_ = false;
  /// Whether this process may end sessions.
  bool may_end_sessions_ = false;
  std::optional<time_point> leaves_by_;
  bool has_hurried_ = false;
};

} // namespace troupe::tests::simulation
