#pragma once

// All messages between our actors: a map of the system. They are grouped by arrow (sender -> receiver), and each group
// is followed by the interface of its receiver. Messages are one-way: none is answered by CAF's own means. Further
// message headers: nodes (`cluster_messages.hpp`), authentication (`access_messages.hpp`), processes and remote servers
// (`upstream_messages.hpp`), operators and spans (`operator_messages.hpp`).
//
// A role is the set of messages that one kind of partner sends, up to eight. An actor with several partners is the sum
// of its roles (`extend`, `extend_with`); a partner holds a handle of the role that it needs.

#include "actors/troupe/gateway.hpp"
#include "protocol/access/client_roots.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/catalog/catalog.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/saved_event.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/readiness.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/state_report.hpp"
#include "protocol/supervised/server_status.hpp"
#include "protocol/text/line_reader.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <string>
#include <vector>

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

// -- session, upstream -> upstream --------------------------------------------------------------

/// A message for the server. Every request is answered, if only with an error.
struct to_server {
  protocol::message message;
  /// Envelope of the user's request, for a server that gets one for each of several users.
  protocol::envelope_of_user envelope = nullptr;
};

/// The sender no longer uses this shared upstream.
struct user_disconnected {};
struct restart_request;

/// UPSTREAM, as its users see it: one MCP server, or several that look like one.
using upstream_actor = caf::typed_actor<caf::reacts_to<to_server>, caf::reacts_to<user_disconnected>,
                                        caf::reacts_to<report_request>, caf::reacts_to<restart_request>>;

// -- server, upstream -> user of the upstream -----------------------------------------------------

/// The requested upstream, with the `ticket` of the `upstream_request`. An upstream that is not shared (`own`) ends
/// with its user. A null upstream permits the user to start a process itself.
struct upstream_granted {
  upstream_actor upstream;
  std::uint64_t ticket = 0;
  bool own = false;
  /// Era that the server was found to speak before, for a process that the user starts itself.
  protocol::server_era known = protocol::server_era::automatic;
};
struct from_server {
  protocol::message message;
  /// Messages that the server sent right after this one.
  std::vector<protocol::message> more = {};
  /// See `deliver_to_user`.
  std::string concerns = {};
};
/// The server is gone, or was never started.
struct server_lost {
  std::string why;
  /// The gateway had no descriptors, memory or processes left to start it.
  bool is_shortage = false;
  /// The server has forgotten the session: requests without an answer never ran.
  bool is_expired = false;
};

/// User of an upstream.
using downstream_actor =
    caf::typed_actor<caf::reacts_to<upstream_granted>, caf::reacts_to<from_server>, caf::reacts_to<server_lost>>;

// -- session, upstream -> server ------------------------------------------------------------------

/// Requests an upstream to the server.
struct upstream_request {
  /// Use as configured (`alone`); an upstream that survives each loss, for a lease or for one of several merged servers
  /// (`lasting`); or the process or connection itself (`bare`).
  enum class use { alone, lasting, bare };
  downstream_actor user;
  /// Shortened id of the user's session, as in logs; empty if all sessions share it.
  std::string session;
  /// Number of the unit on which the user lives.
  std::size_t unit = 0;
  std::uint64_t ticket = 0;
  use what_for = use::alone;
  /// Caller that uses it; null if anonymous, or if all sessions share it.
  protocol::caller caller = {};
};

// -- upstream -> server -----------------------------------------------------------------------------

/// A process or connection has sent its first message (`spoke`), or was lost before that, at that age.
struct upstream_start_result {
  bool spoke = false;
  std::string why = {};
  std::chrono::milliseconds age = {};
  /// Not started, for lack of descriptors, memory or processes: says nothing about the server.
  bool is_shortage = false;
  /// User for which it was started; null if several share it.
  caf::actor_addr user = {};
};

/// The server was found to speak this era, and not the other one. `is_doubtful` if it has not refused that one.
struct server_era_detected {
  protocol::server_era is = protocol::server_era::automatic;
  bool is_doubtful = false;
};

/// The sender's process, until now its user's own, has answered `initialize`. A stateless (2026-07-28) process is
/// offered to all users. If answered `server_retired`, it stays with its present users and ends without them.
struct upstream_initialized {
  bool is_modern = false;
};

/// The shared upstream of this owner has had no users for a while.
struct upstream_unused {
  std::string owner;
};

/// Status of a server that the sender runs before it is used, for an essential server.
struct upstream_status {
  protocol::server_status status;
};

/// The server was removed from the configuration: no more upstreams are given.
struct server_retired {};

/// Receives the findings of upstreams about their server.
using upstream_observer_actor = caf::typed_actor<caf::reacts_to<upstream_start_result>, caf::reacts_to<upstream_unused>,
                                                 caf::reacts_to<server_era_detected>,
                                                 caf::reacts_to<upstream_initialized>, caf::reacts_to<upstream_status>>;

/// SERVER: one configured MCP server. Gives upstreams by its sharing rules, and owns the shared one.
using server_actor = upstream_observer_actor::extend<caf::reacts_to<upstream_request>, caf::reacts_to<server_retired>,
                                                     caf::reacts_to<report_request>, caf::reacts_to<restart_request>,
                                                     caf::reacts_to<tick>>;

// -- broker -> registry -> session --------------------------------------------------------------

// Requests of clients. A session begins on the broker's unit (`unit`, its number).

/// Head of a client's request, the same for each actor and node that the request passes: the session, and the caller as
/// authenticated by the node with the client's connection.
struct request_head {
  /// Server in the client's path; empty for the path of all servers.
  std::string server = {};
  std::string session = {};
  protocol::transport via = protocol::transport::streamable_http;
  protocol::caller caller = {};
  /// Sessions of one `counted_as` are counted together, see `caller_limiter`.
  std::string counted_as = {};
  /// The client is anonymous and not local, so that its request shares no lease.
  bool is_anonymous_remote = false;
  /// The client is on this machine, and connected to this node. Not sent to other nodes, where it is always false.
  bool is_local = false;
};

/// A POST. Without a session it is `initialize` over Streamable HTTP, and makes a session. Over `transport::stateless`
/// it is one stateless (2026-07-28) request; the session is then the lease named by its `requestState`, if any.
struct client_post {
  request_head head;
  protocol::post_body body;
  broker_actor broker;
  protocol::request_source came = protocol::request_source::client;
  std::size_t unit = 0;
  /// Envelope of a stateless (2026-07-28) request: data about its client; null for other requests.
  std::shared_ptr<const protocol::request_envelope> envelope = {};
  /// Id of the exchange in the access log, for a new session or lease; empty without an access log.
  std::string request_id = {};
};
/// A GET for the server's own messages, or those after the event `last`. Without a session, HTTP+SSE makes one.
struct client_listen {
  request_head head;
  std::string last;
  broker_actor broker;
  protocol::request_source came = protocol::request_source::client;
  std::size_t unit = 0;
  std::string request_id = {};
  /// Path before the gateway's own paths, as the client sees them; for a request that begins a session.
  std::string prefix = {};
};
struct client_delete {
  request_head head;
  broker_actor broker;
  protocol::request_source came = protocol::request_source::client;
};

/// Receives requests of clients for their sessions: a REGISTRY, a ROUTER, a SESSION.
using session_requests_actor =
    caf::typed_actor<caf::reacts_to<client_post>, caf::reacts_to<client_listen>, caf::reacts_to<client_delete>>;

// -- broker -> registry ---------------------------------------------------------------------------

/// Readiness query of the prober `who`. Answered with `http_ready` or a rejection, for `reasons` among others.
struct readiness_probe {
  std::string who;
  prober_actor broker;
  std::vector<protocol::unready> reasons = {};
};
struct state_probe;
struct admin_request;

// -- gateway -> registry ------------------------------------------------------------------------

/// The gateway is about to stop: no session begins, and calls in flight may finish unless `at_once`.
struct drain {
  bool at_once = false;
  /// The grace is nearly over. Sessions that cannot move to another node take no new calls.
  bool is_late = false;
  /// No client is connected any more.
  bool is_last = false;
};

// -- registry -> session ------------------------------------------------------------------------

/// Ends a session or a lease: it takes nothing new, and calls in flight may finish unless `at_once`.
struct close_session {
  /// Reason for the client's pending calls and for the log.
  std::string why = "the gateway is stopping";
  bool at_once = false;
  /// Otherwise, if the store keeps the session, it goes on at another node.
  bool for_good = false;
};

// -- registry -> session, declared in other message headers ---------------------------------------

struct session_disowned;
struct session_departs;
struct session_released;
struct caller_revoked;
struct describe_request;
struct follow_request;
struct end_call;

// -- gateway -> registry ------------------------------------------------------------------------
/// Replaces the configured servers.
struct configure {
  std::vector<server_options> servers;
};

// -- server -> registry -------------------------------------------------------------------------
struct server_readiness;
struct shortage_found;

// -- gateway, upstream, router, gate, store -> registry -----------------------------------------------

struct handover_peer_known;
struct server_known;
struct name_omitted;
struct list_part_changed;
struct restore_session;
struct gate_closed;
struct tenure_lost;
struct tenure_regained;
struct session_regained;
struct session_let_go;
struct session_taken;
struct node_cut_off;
struct callers_revoked;
struct session_decided;

// -- host -> gateway ---------------------------------------------------------------------------

/// ROOT: represents a gateway among its host's actors. Ends with the registry; if told to exit, ends the registry.
using root_actor = caf::typed_actor<caf::reacts_to<drain>>;

/// REGISTRY: finds sessions by id and servers, and owns them all. Ends when it drains, the last session has ended, and
/// no answer of another node is awaited.
using registry_actor = session_requests_actor::extend<
    caf::reacts_to<readiness_probe>, caf::reacts_to<state_probe>, caf::reacts_to<admin_request>, caf::reacts_to<drain>,
    caf::reacts_to<configure>, caf::reacts_to<server_known>, caf::reacts_to<name_omitted>,
    caf::reacts_to<list_part_changed>, caf::reacts_to<server_readiness>, caf::reacts_to<restore_session>,
    caf::reacts_to<tenure_lost>, caf::reacts_to<tenure_regained>, caf::reacts_to<session_regained>,
    caf::reacts_to<session_let_go>, caf::reacts_to<session_taken>, caf::reacts_to<node_cut_off>,
    caf::reacts_to<gate_closed>, caf::reacts_to<callers_revoked>, caf::reacts_to<session_decided>,
    caf::reacts_to<handover_peer_known>, caf::reacts_to<shortage_found>>;
/// The registry as it sees itself, with reminders.
using reminded_registry_actor = registry_actor::extend<caf::reacts_to<tick>>;

// -- registry -> session ---------------------------------------------------------------------------

/// A server that is merged with others for a session, and its SERVER.
struct member {
  protocol::catalog_server server;
  server_actor actor;
  /// Access rules of the server and its items; null if all callers may use all.
  std::shared_ptr<const protocol::permissions> access = {};
  std::shared_ptr<const protocol::operation_peer> peer = {}; // label of its calls in metrics
  protocol::roots_rule roots = {};
};
/// Replaces the merged servers.
struct members_changed {
  std::vector<member> members;
};

/// SESSION: one client's session. Uses each broker until that is answered.
using session_actor = downstream_actor::extend_with<session_requests_actor>::extend<
    caf::reacts_to<close_session>, caf::reacts_to<session_disowned>, caf::reacts_to<session_departs>,
    caf::reacts_to<tenure_regained>, caf::reacts_to<session_regained>, caf::reacts_to<session_released>,
    caf::reacts_to<members_changed>, caf::reacts_to<caller_revoked>, caf::reacts_to<report_request>,
    caf::reacts_to<describe_request>, caf::reacts_to<follow_request>, caf::reacts_to<end_call>,
    caf::reacts_to<restart_request>, caf::reacts_to<tick>>;

} // namespace troupe::actors

#include "actors/access_messages.hpp"
#include "actors/cluster_messages.hpp"
#include "actors/operator_messages.hpp"
#include "actors/upstream_messages.hpp"

#include "actors/message_types.hpp"
