#pragma once

#include "actors/messages.hpp"
#include "protocol/admin/operator_order.hpp"
#include "protocol/admin/operator_views.hpp"

namespace troupe::actors {

// A sheet of `messages.hpp`, which includes it: operators' requests, the answers, and the export of spans.

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

// -- whoever traces -> exporter ---------------------------------------------------------------

/// A span has ended, see `protocol::otlp_text`.
struct span_ended {
  std::string text;
};
/// No more spans come.
struct spans_over {};

// -- http client -> exporter ------------------------------------------------------------------

/// What the collector has answered.
struct collector_answered {
  int status = 0;
  std::string retry_after = {};
  std::string body = {};
  std::string why_not = {};
};

/// EXPORTER: sends spans to a collector.
using span_exporter_actor = caf::typed_actor<caf::reacts_to<span_ended>, caf::reacts_to<spans_over>,
                                             caf::reacts_to<collector_answered>, caf::reacts_to<tick>>;

} // namespace troupe::actors
