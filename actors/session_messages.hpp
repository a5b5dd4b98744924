#pragma once

// A message header, see `messages.hpp`: requests of clients, and messages to the registry and its sessions.

#include "actors/messages.hpp"
#include "actors/troupe/gateway.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/access/client_roots.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/catalog/catalog.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/readiness.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

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

/// Whether the sender holds the request of a RELAY, so that it may have run.
struct request_held {
  bool is_so = true;
};
using held_relay_actor = caf::typed_actor<caf::reacts_to<request_held>>;

/// Notifies the relay of a request that another node has forwarded.
template <class Self>
void note_held(Self* self, const broker_actor& broker, protocol::request_source came, bool is_so) {
  if (came == protocol::request_source::node || came == protocol::request_source::leaving_node)
    self->send(caf::actor_cast<held_relay_actor>(broker), request_held{is_so});
}

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

/// Step on the gateway's way to its stop.
enum class drain_step {
  /// No session begins, and calls in flight may finish.
  begin,
  /// The grace is nearly over: sessions that cannot move to another node take no new calls.
  late,
  /// No client is connected any more.
  last,
  /// Calls in flight are cut off.
  at_once,
  /// The gateway goes on: only its present sessions end, as soon as their calls have, or after the `grace`.
  close_sessions,
};

/// The gateway is about to stop, unless the step says otherwise.
struct drain {
  drain_step step = drain_step::begin;
  /// Time for the calls of sessions that `close_sessions` ends; empty if they may finish.
  std::optional<std::chrono::milliseconds> grace = {};
};
/// Replaces the configured servers.
struct configure {
  std::vector<server_options> servers;
};

// -- registry -> session ------------------------------------------------------------------------

/// Ends a session or a lease.
struct close_session {
  protocol::session_closing how = {};
};

// -- registry -> session, declared in other message headers ---------------------------------------

struct session_disowned;
struct session_departs;
struct session_released;
struct caller_revoked;
struct describe_request;
struct follow_request;
struct end_call;

// -- server -> registry -------------------------------------------------------------------------
struct server_readiness;
struct shortage_found;

// -- gateway, upstream, router, gate, store -> registry -----------------------------------------------

struct handover_peer_known;
struct server_known;
struct name_omitted;
struct list_part_changed;
struct session_search;
struct nodes_alive;
struct restore_session;
struct gate_closed;
struct tenure_lost;
struct tenure_regained;
struct session_regained;
struct session_let_go;
struct session_gone;
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
    caf::reacts_to<list_part_changed>, caf::reacts_to<server_readiness>, caf::reacts_to<session_search>,
    caf::reacts_to<nodes_alive>, caf::reacts_to<restore_session>, caf::reacts_to<tenure_lost>,
    caf::reacts_to<tenure_regained>, caf::reacts_to<session_regained>, caf::reacts_to<session_let_go>,
    caf::reacts_to<session_gone>, caf::reacts_to<session_taken>, caf::reacts_to<node_cut_off>,
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
    caf::reacts_to<session_gone>, caf::reacts_to<members_changed>, caf::reacts_to<caller_revoked>,
    caf::reacts_to<report_request>, caf::reacts_to<describe_request>, caf::reacts_to<follow_request>,
    caf::reacts_to<end_call>, caf::reacts_to<restart_request>, caf::reacts_to<tick>>;

} // namespace troupe::actors

// clang-format off
#define TROUPE_SESSION_MESSAGES(each) \
  each(client_post) each(client_listen) each(client_delete) each(readiness_probe) each(drain) each(close_session) \
  each(configure) each(members_changed) each(request_held)
// clang-format on

namespace caf {

TROUPE_SESSION_MESSAGES(TROUPE_STAYS_HERE)

} // namespace caf
