#pragma once

// Every message between our actors, grouped by arrow, and after each group the interface of the actor that takes it.
// The map of the system: who may say what to whom. All go one way; none is answered by CAF's own means.

#include "protocol/delivery.hpp"
#include "protocol/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/state_report.hpp"

#include <caf/all.hpp>
#include <string>
#include <vector>

namespace troupe::actors {

// -- unit -> whoever asked to be reminded -----------------------------------------------

/// The time that an actor asked to be reminded of has come.
struct tick {};

// -- session, stream, registry -> broker ---------------------------------------------------

/// A JSON answer; `session` is the id that it makes known, otherwise empty.
struct http_reply {
  std::string text;
  std::string session;
};
/// Notifications and responses were taken.
struct http_accepted {};
/// The session that the client deleted has ended.
struct http_ended {};
struct http_rejected {
  protocol::rejection why;
};
/// The gateway does not drain.
struct http_ready {};
/// The answer is a stream: its head goes out now, its events follow.
struct sse_begin {};
/// Events or comments as they go on the wire.
struct sse_event {
  std::string text;
};
/// The stream is complete.
struct sse_end {};

/// BROKER, as those see it who answer: one HTTP exchange. Ends with its answer or with its connection.
using broker_actor =
    caf::typed_actor<caf::reacts_to<http_reply>, caf::reacts_to<http_accepted>, caf::reacts_to<http_ended>,
                     caf::reacts_to<http_rejected>, caf::reacts_to<http_ready>, caf::reacts_to<sse_begin>,
                     caf::reacts_to<sse_event>, caf::reacts_to<sse_end>>;

// -- exchange -> its broker -----------------------------------------------------------------

/// The client went away.
struct exchange_closed {};

/// BROKER, as its exchange sees it too.
using http_broker_actor = broker_actor::extend<caf::reacts_to<exchange_closed>>;

// -- session -> stream ------------------------------------------------------------------------

/// The broker whose connection carries the stream.
struct stream_attach {
  broker_actor broker;
};
/// An event as it goes on the wire.
struct stream_publish {
  std::string text;
};
struct stream_end {};

/// STREAM: one SSE stream on its way to a client. Keeps the connection alive, and ends with it.
using stream_actor = caf::typed_actor<caf::reacts_to<stream_attach>, caf::reacts_to<stream_publish>,
                                      caf::reacts_to<stream_end>, caf::reacts_to<tick>>;

// -- session, upstream -> collector -----------------------------------------------------------

struct session_counted {
  protocol::session_report report;
};
struct upstream_counted {
  protocol::upstream_report report;
};

/// COLLECTOR: gathers what every session and server holds for one who asks, and answers when all have spoken or their
/// time is over.
using collector_actor =
    caf::typed_actor<caf::reacts_to<session_counted>, caf::reacts_to<upstream_counted>, caf::reacts_to<tick>>;

/// Asks a session and its server what they hold.
struct report_request {
  collector_actor to;
};

// -- session -> upstream ----------------------------------------------------------------------

/// A message for the server. A request is answered, if only with an error.
struct to_server {
  protocol::message message;
};

/// UPSTREAM, as sessions see it: one MCP server.
using upstream_actor = caf::typed_actor<caf::reacts_to<to_server>, caf::reacts_to<report_request>>;

// -- child process -> its upstream --------------------------------------------------------------

struct child_wrote {
  std::vector<std::string> lines;
};
struct child_complained {
  std::vector<std::string> lines;
};
struct child_lost {
  std::string why;
};

/// UPSTREAM on stdio: a broker between a session and the pipes of a child process.
using stdio_upstream_actor =
    upstream_actor::extend<caf::reacts_to<child_wrote>, caf::reacts_to<child_complained>, caf::reacts_to<child_lost>>;

// -- broker -> registry -> session --------------------------------------------------------------

/// A POST. Without a session it is `initialize` over Streamable HTTP, and makes one.
struct client_post {
  std::string session;
  protocol::post_body body;
  broker_actor broker;
  protocol::transport via = protocol::transport::streamable_http;
};
/// A GET for the server's own messages, or for those after the event `last`. Without a session it makes one of
/// HTTP+SSE.
struct client_listen {
  std::string session;
  std::string last;
  broker_actor broker;
};
struct client_delete {
  std::string session;
  broker_actor broker;
};

// -- broker -> registry ---------------------------------------------------------------------------

/// Asks whether new sessions are taken; answered with `http_ready` or a rejection.
struct readiness_probe {
  broker_actor broker;
};

/// Asks for the gateway's state.
struct state_probe {
  broker_actor broker;
};

// -- gateway -> registry -> session -------------------------------------------------------------

/// The gateway stops: nothing new begins, calls in flight may finish, unless it stops at once.
struct drain {
  bool at_once = false;
};

/// REGISTRY: knows the session of every id, and owns them all. Ends when it drains and the last session has ended.
using registry_actor =
    caf::typed_actor<caf::reacts_to<client_post>, caf::reacts_to<client_listen>, caf::reacts_to<client_delete>,
                     caf::reacts_to<readiness_probe>, caf::reacts_to<state_probe>, caf::reacts_to<drain>>;

// -- upstream -> session ------------------------------------------------------------------------

struct from_server {
  protocol::message message;
};
/// The server is gone, or never came to be.
struct server_lost {
  std::string why;
};

/// SESSION: one client's session with one server. Owns its streams and its upstream, and each broker until it is
/// answered or carries a stream.
using session_actor =
    caf::typed_actor<caf::reacts_to<client_post>, caf::reacts_to<client_listen>, caf::reacts_to<client_delete>,
                     caf::reacts_to<drain>, caf::reacts_to<from_server>, caf::reacts_to<server_lost>,
                     caf::reacts_to<report_request>, caf::reacts_to<tick>>;

// -- how they are written down -------------------------------------------------------------------

template <class Inspector>
auto inspect(Inspector& f, tick&) {
  return f(caf::meta::type_name("tick"));
}
template <class Inspector>
auto inspect(Inspector& f, http_reply& x) {
  return f(caf::meta::type_name("http_reply"), x.text, x.session);
}
template <class Inspector>
auto inspect(Inspector& f, http_accepted&) {
  return f(caf::meta::type_name("http_accepted"));
}
template <class Inspector>
auto inspect(Inspector& f, http_ended&) {
  return f(caf::meta::type_name("http_ended"));
}
template <class Inspector>
auto inspect(Inspector& f, http_rejected& x) {
  return f(caf::meta::type_name("http_rejected"), x.why);
}
template <class Inspector>
auto inspect(Inspector& f, http_ready&) {
  return f(caf::meta::type_name("http_ready"));
}
template <class Inspector>
auto inspect(Inspector& f, sse_begin&) {
  return f(caf::meta::type_name("sse_begin"));
}
template <class Inspector>
auto inspect(Inspector& f, sse_event& x) {
  return f(caf::meta::type_name("sse_event"), x.text);
}
template <class Inspector>
auto inspect(Inspector& f, sse_end&) {
  return f(caf::meta::type_name("sse_end"));
}
template <class Inspector>
auto inspect(Inspector& f, exchange_closed&) {
  return f(caf::meta::type_name("exchange_closed"));
}
template <class Inspector>
auto inspect(Inspector& f, stream_attach& x) {
  return f(caf::meta::type_name("stream_attach"), x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, stream_publish& x) {
  return f(caf::meta::type_name("stream_publish"), x.text);
}
template <class Inspector>
auto inspect(Inspector& f, stream_end&) {
  return f(caf::meta::type_name("stream_end"));
}
template <class Inspector>
auto inspect(Inspector& f, session_counted& x) {
  return f(caf::meta::type_name("session_counted"), x.report);
}
template <class Inspector>
auto inspect(Inspector& f, upstream_counted& x) {
  return f(caf::meta::type_name("upstream_counted"), x.report);
}
template <class Inspector>
auto inspect(Inspector& f, report_request& x) {
  return f(caf::meta::type_name("report_request"), x.to);
}
template <class Inspector>
auto inspect(Inspector& f, state_probe& x) {
  return f(caf::meta::type_name("state_probe"), x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, to_server& x) {
  return f(caf::meta::type_name("to_server"), x.message);
}
template <class Inspector>
auto inspect(Inspector& f, child_wrote& x) {
  return f(caf::meta::type_name("child_wrote"), x.lines);
}
template <class Inspector>
auto inspect(Inspector& f, child_complained& x) {
  return f(caf::meta::type_name("child_complained"), x.lines);
}
template <class Inspector>
auto inspect(Inspector& f, child_lost& x) {
  return f(caf::meta::type_name("child_lost"), x.why);
}
template <class Inspector>
auto inspect(Inspector& f, client_post& x) {
  return f(caf::meta::type_name("client_post"), x.session, x.body, x.broker, x.via);
}
template <class Inspector>
auto inspect(Inspector& f, client_listen& x) {
  return f(caf::meta::type_name("client_listen"), x.session, x.last, x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, client_delete& x) {
  return f(caf::meta::type_name("client_delete"), x.session, x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, readiness_probe& x) {
  return f(caf::meta::type_name("readiness_probe"), x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, drain& x) {
  return f(caf::meta::type_name("drain"), x.at_once);
}
template <class Inspector>
auto inspect(Inspector& f, from_server& x) {
  return f(caf::meta::type_name("from_server"), x.message);
}
template <class Inspector>
auto inspect(Inspector& f, server_lost& x) {
  return f(caf::meta::type_name("server_lost"), x.why);
}

/// The one list of what may travel between nodes.
inline void register_messages(caf::actor_system_config& config) {
  config.add_message_type<tick>("troupe::tick")
      .add_message_type<http_reply>("troupe::http_reply")
      .add_message_type<http_accepted>("troupe::http_accepted")
      .add_message_type<http_ended>("troupe::http_ended")
      .add_message_type<http_rejected>("troupe::http_rejected")
      .add_message_type<http_ready>("troupe::http_ready")
      .add_message_type<sse_begin>("troupe::sse_begin")
      .add_message_type<sse_event>("troupe::sse_event")
      .add_message_type<sse_end>("troupe::sse_end")
      .add_message_type<stream_attach>("troupe::stream_attach")
      .add_message_type<stream_publish>("troupe::stream_publish")
      .add_message_type<stream_end>("troupe::stream_end")
      .add_message_type<session_counted>("troupe::session_counted")
      .add_message_type<upstream_counted>("troupe::upstream_counted")
      .add_message_type<report_request>("troupe::report_request")
      .add_message_type<state_probe>("troupe::state_probe")
      .add_message_type<to_server>("troupe::to_server")
      .add_message_type<client_post>("troupe::client_post")
      .add_message_type<client_listen>("troupe::client_listen")
      .add_message_type<client_delete>("troupe::client_delete")
      .add_message_type<readiness_probe>("troupe::readiness_probe")
      .add_message_type<drain>("troupe::drain")
      .add_message_type<from_server>("troupe::from_server")
      .add_message_type<server_lost>("troupe::server_lost");
}

} // namespace troupe::actors

namespace troupe::protocol {

template <class Inspector>
auto inspect(Inspector& f, slice& x) {
  return f(caf::meta::type_name("slice"), x.at, x.size);
}
template <class Inspector>
auto inspect(Inspector& f, message& x) {
  return f(caf::meta::type_name("message"), x.kind, x.text, x.id, x.method, x.reference, x.claims_modern, x.id_at,
           x.reference_at);
}
template <class Inspector>
auto inspect(Inspector& f, post_body& x) {
  return f(caf::meta::type_name("post_body"), x.messages, x.batch);
}
template <class Inspector>
auto inspect(Inspector& f, rejection& x) {
  return f(caf::meta::type_name("rejection"), x.status, x.code, x.text, x.id, x.headers);
}

template <class Inspector>
auto inspect(Inspector& f, delivery_counts& x) {
  return f(caf::meta::type_name("delivery_counts"), x.primary, x.shadow, x.call, x.detached, x.waiting, x.stored_events,
           x.stored_bytes, x.dropped);
}
template <class Inspector>
auto inspect(Inspector& f, session_report& x) {
  return f(caf::meta::type_name("session_report"), x.delivery, x.calls, x.questions, x.brokers);
}
template <class Inspector>
auto inspect(Inspector& f, upstream_report& x) {
  return f(caf::meta::type_name("upstream_report"), x.pid, x.age, x.session);
}

} // namespace troupe::protocol
