#pragma once

// Every message between our actors, grouped by arrow, and after each group the interface of the actor that takes it.
// The map of the system: who may say what to whom. All go one way; none is answered by CAF's own means.

#include "protocol/message.hpp"
#include "protocol/rejection.hpp"

#include <caf/all.hpp>
#include <string>
#include <vector>

namespace troupe::actors {

// -- unit -> whoever asked to be reminded -----------------------------------------------

/// The time that an actor asked to be reminded of has come.
struct tick {};

// -- session, stream, registry -> broker ---------------------------------------------------

/// The JSON answer to a POST; `session` is the id that it makes known, otherwise empty.
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
/// New sessions are taken.
struct http_ready {};
/// The answer is a stream: its head goes out now, its events follow.
struct sse_begin {};
/// Encoded events or comments.
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

// -- stream -> session ------------------------------------------------------------------------

/// The connection that carried the stream is gone.
struct stream_detached {
  std::uint64_t stream = 0;
};

// -- session -> stream ------------------------------------------------------------------------

/// The broker whose connection carries the stream from now on.
struct stream_attach {
  broker_actor broker;
};
struct stream_publish {
  std::string text;
};
struct stream_end {};

/// STREAM: one SSE stream. Keeps its client's connection alive, and tells its session when it is gone.
using stream_actor = caf::typed_actor<caf::reacts_to<stream_attach>, caf::reacts_to<stream_publish>,
                                      caf::reacts_to<stream_end>, caf::reacts_to<tick>>;

// -- session -> upstream ----------------------------------------------------------------------

/// A message for the server. `call` is its id when it awaits an answer: then one comes, if only an error.
struct to_server {
  std::string text;
  std::string call;
};

/// UPSTREAM, as sessions see it: one MCP server.
using upstream_actor = caf::typed_actor<caf::reacts_to<to_server>>;

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

/// A POST. Without a session it is `initialize`, and makes one.
struct client_post {
  std::string session;
  protocol::post_body body;
  broker_actor broker;
};
/// A GET for the server's own messages.
struct client_listen {
  std::string session;
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

// -- gateway -> registry -> session -------------------------------------------------------------

/// The gateway stops: calls in flight may finish, nothing new begins.
struct drain {};

/// REGISTRY: knows the session of every id, and owns them all. Ends when it drains and the last session has ended.
using registry_actor =
    caf::typed_actor<caf::reacts_to<client_post>, caf::reacts_to<client_listen>, caf::reacts_to<client_delete>,
                     caf::reacts_to<readiness_probe>, caf::reacts_to<drain>>;

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
                     caf::reacts_to<stream_detached>, caf::reacts_to<tick>>;

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
auto inspect(Inspector& f, stream_detached& x) {
  return f(caf::meta::type_name("stream_detached"), x.stream);
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
auto inspect(Inspector& f, to_server& x) {
  return f(caf::meta::type_name("to_server"), x.text, x.call);
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
  return f(caf::meta::type_name("client_post"), x.session, x.body, x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, client_listen& x) {
  return f(caf::meta::type_name("client_listen"), x.session, x.broker);
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
auto inspect(Inspector& f, drain&) {
  return f(caf::meta::type_name("drain"));
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
      .add_message_type<stream_detached>("troupe::stream_detached")
      .add_message_type<stream_attach>("troupe::stream_attach")
      .add_message_type<stream_publish>("troupe::stream_publish")
      .add_message_type<stream_end>("troupe::stream_end")
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

} // namespace troupe::protocol
