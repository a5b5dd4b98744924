#pragma once

#include "actors/cluster/forwarded_requests.hpp"
#include "actors/cluster/gate.hpp"
#include "actors/cluster_messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "net/frame_stream.hpp"
#include "protocol/handover/handover.hpp"
#include "protocol/handover/process_watch.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// Connection to the other process of a handover, and services for its requests.
struct handover_peer_setup {
  /// Lives of this process and of the other, as each knows them.
  protocol::node_life self;
  protocol::node_life other;
  net::io_thread& thread;
  std::shared_ptr<net::owned_descriptor> socket;
  /// Units that serve the requests of the other process.
  std::vector<unit*> units;
  gate_state::token_keeper keep_token = {};
  /// Returns the token of a caller, for servers that exchange it. May be empty.
  std::function<std::string(const protocol::caller& who)> token_of = {};
  /// In the older process: limit for keeping its sessions, and the time for their calls after it.
  std::optional<protocol::time_point> until = {};
  std::optional<std::chrono::milliseconds> grace = {};
  /// Whether the other process sends and reads signs of life. `may_sign` returns whether it reads them now.
  bool has_signs = false;
  std::function<bool()> may_sign = [] { return true; };
  /// Takes facts about the other process, on the thread of the first unit.
  std::function<void(protocol::peer_fact what)> report = [](protocol::peer_fact) {};
};

/// HANDOVER_PEER: the other of the two processes of a handover. Forwards requests of clients whose sessions are there,
/// and owns a GATE for requests from there. Exits when the other process is gone, or hangs as `protocol::process_watch`
/// decides, and fails pending requests; otherwise exits after all its messages are sent.
class handover_peer_state {
public:
  using interface = handover_peer_actor;
  static constexpr const char* name = "handover_peer";

  handover_peer_state(pinned<interface>* self, registry_actor registry, handover_peer_setup setup);
  interface::behavior_type make_behavior();

private:
  void connect();
  template <class Message>
  void pass_on(Message& msg);
  void handle(relay_answer& msg);
  void handle(const node_drains& msg);
  void handle(const process_sign& msg);
  void handle(const tick&);
  void sign();
  void sign_off();
  void remind();
  void lose(protocol::peer_fact how);
  void end_when_idle();
  void leave();
  void hurry();
  void quit_after_gate(const caf::error& why);
  void on_exit_of(const caf::exit_msg& msg);

  pinned<interface>* self_;
  registry_actor registry_;
  handover_peer_setup setup_;
  local_gate_actor gate_;
  process_link_actor link_;
  forwarded_requests<interface> forwarded_;
  reminder reminder_;
  /// Empty if the other process sends no signs of life.
  std::optional<protocol::process_watch> watch_;
  bool drains_ = false;
  bool is_lost_ = false;
  bool leaves_ = false;
  /// True if the other process has answered all requests that it has received, and receives no more.
  bool has_answered_all_ = false;
};

using handover_peer = actor_of<handover_peer_state>;

} // namespace troupe::actors
