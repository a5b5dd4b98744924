#pragma once

// A sheet of `messages.hpp`, which includes it: what concerns the two processes that one gateway is while a new one
// takes its place. To each other they say what nodes do.

#include "actors/messages.hpp"

#include <string>

namespace troupe::actors {

// -- socket -> process link -------------------------------------------------------------------------

/// The other process has sent a text.
struct process_said {
  std::string text;
};
/// It is gone.
struct process_gone {};

/// PROCESS_LINK: what the other process is to a gate, and to who passes requests on.
using process_link_actor =
    gate_actor::extend_with<remote_router_actor>::extend<caf::reacts_to<process_said>, caf::reacts_to<process_gone>>;

// -- registry -> other process ------------------------------------------------------------------------

/// HANDOVER_PEER: of the two that one gateway is during a handover. Has the sessions that are not in this one.
using handover_peer_actor =
    remote_router_actor::extend_with<session_requests_actor>::extend<caf::reacts_to<node_drains>, caf::reacts_to<tick>>;

// -- gateway -> registry --------------------------------------------------------------------------------

/// There are two processes from now on. What is new begins in the other one if that has taken over; otherwise it is the
/// one that was there before.
struct handover_peer_known {
  handover_peer_actor who;
  bool has_taken_over = false;
};

} // namespace troupe::actors
