#pragma once

#include "actors/cluster/forwarded_requests.hpp"
#include "actors/cluster/gate.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/frame_stream.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// How the other process is reached, and how this one serves it.
struct handover_peer_setup {
  /// This process and the other, to each other.
  protocol::node_life self;
  protocol::node_life other;
  net::io_thread& thread;
  std::shared_ptr<net::owned_descriptor> socket;
  /// Where the requests are served that it passes on.
  std::vector<unit*> units;
  gate_state::token_keeper keep_token = {};
  /// The token that a caller has shown, if a server takes it in exchange; may be empty.
  std::function<std::string(const protocol::caller& who)> token_of = {};
  /// In the process that was there before: until when it keeps its sessions, and what is called then, or when the other
  /// is gone and nobody reaches them any more.
  std::optional<protocol::time_point> until = {};
  std::function<void()> then = [] {};
};

/// HANDOVER_PEER: the other one of the two that a gateway is during a handover. Passes the requests of clients of this
/// process on whose sessions are not here, and owns a GATE for those that the other one passes on. Ends when that is
/// gone, and then fails what awaits an answer; otherwise after all that is to be said through it.
class handover_peer_state {
public:
  using interface = handover_peer_actor;
  static constexpr const char* name = "handover_peer";

  handover_peer_state(pinned<interface>* self, registry_actor registry, handover_peer_setup setup);
  interface::behavior_type make_behavior();

private:
  void meet();
  template <class Message>
  void pass_on(Message& msg);
  void take(relay_answer& msg);
  void take(const node_drains& msg);
  void end_when_idle();
  void leave();
  void hurry();
  void on_exit_of(const caf::exit_msg& msg);

  pinned<interface>* self_;
  registry_actor registry_;
  handover_peer_setup setup_;
  local_gate_actor gate_;
  process_link_actor link_;
  forwarded_requests<interface> forwarded_;
  reminder reminder_;
  bool drains_ = false;
  bool leaves_ = false;
};

using handover_peer = actor_of<handover_peer_state>;

} // namespace troupe::actors
