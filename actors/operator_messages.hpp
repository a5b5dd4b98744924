#pragma once

// A sheet of `messages.hpp`, which includes it: what operators ask for, and what it takes to answer them.

#include "actors/messages.hpp"
#include "protocol/admin/operator_order.hpp"
#include "protocol/admin/operator_views.hpp"

namespace troupe::actors {

// -- broker -> registry -------------------------------------------------------------------------------

/// Asks for the gateway's state.
struct state_probe {
  broker_actor broker;
};

// -- desk, gate -> registry -> router -------------------------------------------------------------

/// What an operator asks, who has been let in. The broker is answered with one JSON text, a rejection, or a stream.
struct operator_asks {
  protocol::operator_request what;
  broker_actor broker;
  /// To the router: the name of the node that it is for.
  std::string node = {};
  /// Another node has passed it on to this one, which it is for.
  bool is_passed_on = false;
};

// -- session -> lister ------------------------------------------------------------------------------

/// What a session or a lease is at.
struct session_described {
  protocol::live_session what;
};

/// LISTER: gathers what an operator is shown of sessions, and answers when all have spoken or their time is over.
using lister_actor = caf::typed_actor<caf::reacts_to<session_described>, caf::reacts_to<tick>>;

// -- registry -> session ------------------------------------------------------------------------------

/// Asks a session to say the rest of what it is.
struct describe_request {
  protocol::live_session so_far;
  lister_actor to;
};

/// The broker is to have each message of the session as an event, from now on; what it says only with `content`.
struct follow_request {
  broker_actor broker;
  bool content = false;
};

/// The call of that number is to end: its client gets an error, and its server a cancellation. The broker is told
/// whether there was one.
struct end_call {
  std::uint64_t number = 0;
  broker_actor broker;
};

// -- registry -> server, session -> upstream ----------------------------------------------------------

/// What the receiver has of the server ends, and is begun again where that is its rule.
struct restart_request {
  /// The number of the server; of no meaning to who has but one.
  std::uint64_t server = 0;
};

} // namespace troupe::actors
