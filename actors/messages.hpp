#pragma once

// All messages between our actors: a map of the system. They are grouped by arrow (sender -> receiver), and each group
// is followed by the interface of its receiver. Messages are one-way: none is answered by CAF's own means. This header
// declares those that actors of all kinds use: exchanges, reports and reminders. Further message headers, each with
// messages that only some actors use: clients' requests, the registry and sessions (`session_messages.hpp`), servers
// and upstreams (`upstream_messages.hpp`), nodes (`cluster_messages.hpp`), authentication (`access_messages.hpp`),
// operators and spans (`operator_messages.hpp`). They include this header, and it includes none of them.
//
// A role is the set of messages that one kind of partner sends, up to eight. An actor with several partners is the sum
// of its roles (`extend`, `extend_with`); a partner holds a handle of the role that it needs.

#include "actors/message_types.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/state_report.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <cstddef>
#include <string>

namespace troupe::actors {

// -- unit -> actor with a reminder ------------------------------------------------------

/// A reminder is due.
struct tick {};

// -- session, registry -> broker -----------------------------------------------------------

/// Outcome of the request of an exchange, for the access log.
struct exchange_report {
  /// As `protocol::call_outcome::text`.
  std::string error = {};
  /// Server that answered it; empty if none or several did.
  std::string server = {};
  std::chrono::nanoseconds in_server = {};
};

/// A JSON answer; `session` is a new session's id, otherwise empty.
struct http_reply {
  std::string text;
  std::string session;
  exchange_report report = {};
};
/// Notifications and responses were accepted.
struct http_accepted {};
/// The session that the client deleted has ended.
struct http_ended {};
struct http_rejected {
  protocol::rejection why;
};
/// The answer is a stream: sends its head with the first events, if any. More events follow, unless the stream is
/// complete.
struct sse_begin {
  std::string text = {};
  bool is_complete = false;
  exchange_report report = {};
};
/// Events or comments, as sent on the wire.
struct sse_event {
  std::string text;
};
/// Last events of the stream, if any; the stream is complete.
struct sse_end {
  std::string text = {};
  exchange_report report = {};
};

/// BROKER, as seen by the actors that answer: one HTTP exchange. Keeps the connection of a stream alive. Ends with its
/// answer or with its connection.
using broker_actor = caf::typed_actor<caf::reacts_to<http_reply>, caf::reacts_to<http_accepted>,
                                      caf::reacts_to<http_ended>, caf::reacts_to<http_rejected>,
                                      caf::reacts_to<sse_begin>, caf::reacts_to<sse_event>, caf::reacts_to<sse_end>>;

// -- registry, router -> broker of a readiness probe ---------------------------------------

/// New sessions are accepted.
struct http_ready {};

/// Sender of a readiness probe.
using prober_actor = caf::typed_actor<caf::reacts_to<http_ready>, caf::reacts_to<http_rejected>>;

// -- exchange, authenticator -> its broker, a pending exchange -------------------------------------------

/// The client disconnected.
struct exchange_closed {};
struct token_checked;

/// BROKER, as its exchange also sees it.
using http_broker_actor = broker_actor::extend<caf::reacts_to<http_ready>, caf::reacts_to<exchange_closed>,
                                               caf::reacts_to<token_checked>, caf::reacts_to<tick>>;

// -- session, server, upstream -> collector ------------------------------------------------

/// Report of one actor. Each queried actor answers once, with the number of actors that it has queried in turn.
struct counted {
  protocol::state_report part;
  std::size_t asked = 0;
};

/// COLLECTOR: gathers reports for one query, and answers when all actors have reported or the time is over.
using collector_actor = caf::typed_actor<caf::reacts_to<counted>, caf::reacts_to<tick>>;

/// Queries an actor for its report.
struct report_request {
  collector_actor to;
};

} // namespace troupe::actors

// clang-format off
#define TROUPE_CORE_MESSAGES(each) \
  each(tick) each(http_reply) each(http_accepted) each(http_ended) each(http_rejected) each(http_ready) \
  each(sse_begin) each(sse_event) each(sse_end) each(exchange_closed) each(counted) each(report_request)
// clang-format on

namespace caf {

TROUPE_CORE_MESSAGES(TROUPE_STAYS_HERE)

} // namespace caf
