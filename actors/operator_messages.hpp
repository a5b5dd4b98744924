#pragma once

#include "actors/messages.hpp"
#include "protocol/admin/admin_command.hpp"
#include "protocol/admin/operator_views.hpp"

#include <caf/all.hpp>
#include <cstdint>
#include <string>

namespace troupe::actors {

// A message header, see `messages.hpp`: operators' requests, the answers, and the export of spans.

// -- broker -> registry -------------------------------------------------------------------------------

/// Queries the gateway for its state.
struct state_probe {
  broker_actor broker;
};

// -- admin listener, gate -> registry -> router -------------------------------------------------------

/// Request of an authenticated operator. The broker gets one JSON text, a rejection, or a stream.
struct admin_request {
  protocol::operator_request what;
  broker_actor broker;
  /// To the router: name of the node that is to answer.
  std::string node = {};
  /// Passed on by another node to this one, which is to answer.
  bool is_passed_on = false;
};

// -- session -> lister ------------------------------------------------------------------------------

/// State of a session or a lease.
struct session_described {
  protocol::live_session what;
};

/// LISTER: gathers descriptions of sessions for an operator, and answers when all have arrived or the time is over.
using session_collector_actor = caf::typed_actor<caf::reacts_to<session_described>, caf::reacts_to<tick>>;

// -- registry -> session ------------------------------------------------------------------------------

/// Queries a session for the rest of its description.
struct describe_request {
  protocol::live_session so_far;
  session_collector_actor to;
};

/// Sends each message of the session to the broker as an event, from now on; its content only with `content`.
struct follow_request {
  broker_actor broker;
  bool content = false;
};

/// Ends the call with that number: its client gets an error, and its server a cancellation. The broker is answered
/// whether the call existed.
struct end_call {
  std::uint64_t number = 0;
  broker_actor broker;
};

// -- tracing actors -> exporter ---------------------------------------------------------------

/// A span has ended, see `protocol::otlp_text`.
struct span_ended {
  std::string text;
};
/// No more spans follow.
struct spans_over {};

// -- http client -> exporter ------------------------------------------------------------------

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

// clang-format off
#define TROUPE_OPERATOR_MESSAGES(each) \
  each(state_probe) each(admin_request) each(session_described) each(describe_request) each(end_call) \
  each(follow_request) \
  each(span_ended) each(spans_over) each(collector_answered)
// clang-format on

namespace caf {

TROUPE_OPERATOR_MESSAGES(TROUPE_STAYS_HERE)

} // namespace caf
