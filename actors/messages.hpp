#pragma once

// Every message between our actors, grouped by arrow, and after each group the interface of the actor that takes it.
// The map of the system: who may say what to whom. All go one way; none is answered by CAF's own means. Further sheets:
// between nodes, and to find them (`cluster_messages.hpp`), to find out who asks (`access_messages.hpp`), to upstreams
// by what is outside (`upstream_messages.hpp`), to operators (`operator_messages.hpp`), spans (`trace_messages.hpp`).
//
// A role, what one kind of partner says, has at most eight messages. An actor with several partners is the sum of its
// roles (`extend`, `extend_with`); who talks to it holds a handle of the role that it needs.

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

// -- unit -> whoever asked to be reminded -----------------------------------------------

/// The time that an actor asked to be reminded of has come.
struct tick {};

// -- session, registry -> broker -----------------------------------------------------------

/// How the request of an exchange ended, for the access log.
struct exchange_report {
  /// As `protocol::call_outcome::text`.
  std::string error = {};
  /// Which answered it; empty when none or several did.
  std::string server = {};
  std::chrono::nanoseconds in_server = {};
};

/// A JSON answer; `session` is the id that it makes known, otherwise empty.
struct http_reply {
  std::string text;
  std::string session;
  exchange_report report = {};
};
/// Notifications and responses were taken.
struct http_accepted {};
/// The session that the client deleted has ended.
struct http_ended {};
struct http_rejected {
  protocol::rejection why;
};
/// The answer is a stream: its head goes out now, with its first events, if there are any yet; others follow, unless it
/// is complete.
struct sse_begin {
  std::string text = {};
  bool is_complete = false;
  exchange_report report = {};
};
/// Events or comments as they go on the wire.
struct sse_event {
  std::string text;
};
/// The stream is complete with these last events, if there are any.
struct sse_end {
  std::string text = {};
  exchange_report report = {};
};

/// BROKER, as those see it who answer: one HTTP exchange. Keeps the connection of a stream alive. Ends with its answer
/// or with its connection.
using broker_actor = caf::typed_actor<caf::reacts_to<http_reply>, caf::reacts_to<http_accepted>,
                                      caf::reacts_to<http_ended>, caf::reacts_to<http_rejected>,
                                      caf::reacts_to<sse_begin>, caf::reacts_to<sse_event>, caf::reacts_to<sse_end>>;

// -- registry, router -> broker that asked -------------------------------------------------

/// New sessions are taken.
struct http_ready {};

/// Who asked that.
using prober_actor = caf::typed_actor<caf::reacts_to<http_ready>, caf::reacts_to<http_rejected>>;

// -- exchange, authenticator -> its broker, its visitor -------------------------------------------

/// The client went away.
struct exchange_closed {};
struct token_judged;

/// BROKER, as its exchange sees it too.
using http_broker_actor = broker_actor::extend<caf::reacts_to<http_ready>, caf::reacts_to<exchange_closed>,
                                               caf::reacts_to<token_judged>, caf::reacts_to<tick>>;

// -- session, server, upstream -> collector ------------------------------------------------

/// What one actor holds. Each that was asked answers once, and says how many others it has asked in turn.
struct counted {
  protocol::state_report part;
  std::size_t asked = 0;
};

/// COLLECTOR: gathers what lives for one who asks, and answers when all have spoken or their time is over.
using collector_actor = caf::typed_actor<caf::reacts_to<counted>, caf::reacts_to<tick>>;

/// Asks an actor what it holds.
struct report_request {
  collector_actor to;
};

// -- session, upstream -> upstream --------------------------------------------------------------

/// A message for the server. A request is answered, if only with an error.
struct to_server {
  protocol::message message;
  /// Of the user who asks, when the server hears of each of several.
  protocol::envelope_of_user envelope = nullptr;
};

/// The sender no longer uses this shared upstream.
struct user_left {};
struct restart_request;

/// UPSTREAM, as those see it who use it: one MCP server, or several that look like one.
using upstream_actor = caf::typed_actor<caf::reacts_to<to_server>, caf::reacts_to<user_left>,
                                        caf::reacts_to<report_request>, caf::reacts_to<restart_request>>;

// -- server, upstream -> who uses it --------------------------------------------------------------

/// The upstream that was asked for, with the `ticket` of the `server_wanted`. An upstream that is not shared ends with
/// its user. A null one grants what the user begins by itself.
struct server_given {
  upstream_actor upstream;
  std::uint64_t ticket = 0;
  bool own = false;
  /// What a process that the user begins by itself was found to speak before.
  protocol::server_era known = protocol::server_era::automatic;
};
struct from_server {
  protocol::message message;
  /// What the server said right after that.
  std::vector<protocol::message> more = {};
  /// See `show_user`.
  std::string concerns = {};
};
/// The server is gone, or never came to be.
struct server_lost {
  std::string why;
  /// The gateway had no descriptors, memory or processes left to start it.
  bool is_shortage = false;
  /// It has forgotten the session: the requests that have no answer by now never ran.
  bool is_expired = false;
};

/// Who uses an upstream.
using downstream_actor =
    caf::typed_actor<caf::reacts_to<server_given>, caf::reacts_to<from_server>, caf::reacts_to<server_lost>>;

// -- session, upstream -> server ------------------------------------------------------------------

/// Asks for an upstream to the server.
struct server_wanted {
  /// To be used as configured; to be there after each loss, for a lease or as one of several that are merged; or the
  /// bare process.
  enum class use { alone, lasting, bare };
  downstream_actor user;
  /// The shortened id of the session that it is for, as in logs; empty when all sessions share it.
  std::string session;
  /// The number of the unit that the user lives on.
  std::size_t unit = 0;
  std::uint64_t ticket = 0;
  use what_for = use::alone;
  /// Who uses it; null for nobody in particular, and when all sessions share it.
  protocol::caller caller = {};
};

// -- upstream -> server -----------------------------------------------------------------------------

/// A process or connection was lost at that age before it had said anything, or else has begun to speak.
struct upstream_tried {
  bool spoke = false;
  std::string why = {};
  std::chrono::milliseconds age = {};
  /// It was not begun, for lack of descriptors, memory or processes: nothing is known of the server.
  bool is_shortage = false;
  /// The user that it was begun for; null when several share it.
  caf::actor_addr user = {};
};

/// The server was found to speak this era, and not the other. `is_doubtful` when it has not refused that one.
struct server_era_found {
  protocol::server_era is = protocol::server_era::automatic;
  bool is_doubtful = false;
};

/// The sender's process has greeted, which was its user's own until then. One that is of 2026-07-28 is offered to all
/// users; it ends without users when it is answered `server_retired`.
struct upstream_greeted {
  bool is_modern = false;
};

/// That of this owner has had no users for a while.
struct upstream_unused {
  std::string owner;
};

/// What became of the server that the sender keeps running before it is used; of one that is essential.
struct upstream_shown {
  protocol::server_status status;
};

/// The server was removed from the configuration: no more upstreams are given.
struct server_retired {};

/// Who is told by upstreams what they find out about a server.
using upstream_witness_actor =
    caf::typed_actor<caf::reacts_to<upstream_tried>, caf::reacts_to<upstream_unused>, caf::reacts_to<server_era_found>,
                     caf::reacts_to<upstream_greeted>, caf::reacts_to<upstream_shown>>;

/// SERVER: one configured MCP server. Gives upstreams to it by its rules of sharing, and owns the shared one.
using server_actor = upstream_witness_actor::extend<caf::reacts_to<server_wanted>, caf::reacts_to<server_retired>,
                                                    caf::reacts_to<report_request>, caf::reacts_to<restart_request>,
                                                    caf::reacts_to<tick>>;

// -- broker -> registry -> session --------------------------------------------------------------

// Each names the server whose path the client used; none when it used that of all. A session begins on the unit (its
// number) that the broker lives on. `counted_as` is whose sessions are counted together, see `caller_limiter`.

/// A POST. Without a session it is `initialize` over Streamable HTTP, and makes one. Over `transport::stateless` it is
/// one request of 2026-07-28, and `session` is the lease that its `requestState` names, if it has one.
struct client_post {
  std::string server;
  std::string session;
  protocol::post_body body;
  broker_actor broker;
  protocol::transport via = protocol::transport::streamable_http;
  protocol::came_by came = protocol::came_by::client;
  std::size_t unit = 0;
  std::string counted_as = {};
  protocol::caller caller = {};
  /// What a request of 2026-07-28 says of its client; null for others.
  std::shared_ptr<const protocol::request_envelope> envelope = {};
  /// It may be anybody who sent it, so that it shares a lease with no other.
  bool is_strangers = false;
  /// Its client is on this machine, and connected to this node.
  bool is_local = false;
  /// How the access log calls the exchange, where a session or a lease may begin; empty when there is none.
  std::string request_id = {};
};
/// A GET for the server's own messages, or for those after the event `last`. Without a session: HTTP+SSE makes one.
struct client_listen {
  std::string server;
  std::string session;
  std::string last;
  broker_actor broker;
  protocol::came_by came = protocol::came_by::client;
  std::size_t unit = 0;
  std::string counted_as = {};
  protocol::caller caller = {};
  bool is_local = false; // see `client_post`
  std::string request_id = {};
  /// Of what begins a session: the path behind which its client finds those of the gateway.
  std::string prefix = {};
};
struct client_delete {
  std::string server;
  std::string session;
  broker_actor broker;
  protocol::came_by came = protocol::came_by::client;
  protocol::caller caller = {};
};

/// Who takes what clients ask of their sessions: a REGISTRY, a ROUTER, a SESSION.
using session_requests_actor =
    caf::typed_actor<caf::reacts_to<client_post>, caf::reacts_to<client_listen>, caf::reacts_to<client_delete>>;

// -- broker -> registry ---------------------------------------------------------------------------

/// `who` asks whether new sessions are taken. Answered with `http_ready` or a rejection, for `reasons` among others.
struct readiness_probe {
  std::string who;
  prober_actor broker;
  std::vector<protocol::unready> reasons = {};
};
struct state_probe;
struct operator_asks;

// -- gateway -> registry -> session -------------------------------------------------------------

/// The gateway or the server is about to go: nothing new begins, calls in flight may finish, unless it goes at once.
struct drain {
  std::string why = "the gateway is stopping";
  bool at_once = false;
  /// To the registry: the grace is nearly over, and no session that cannot move to another node takes new calls.
  bool is_late = false;
  /// To the registry: no client is connected any more.
  bool is_last = false;
  /// A session that the store keeps survives on another node, unless this is for good.
  bool for_good = false;
};

// -- registry -> session, on the other sheets -----------------------------------------------------

struct session_disowned;
struct session_departs;
struct session_released;
struct caller_stale;
struct describe_request;
struct follow_request;
struct end_call;

// -- gateway -> registry ------------------------------------------------------------------------
/// The servers from now on.
struct configure {
  std::vector<server_options> servers;
};

// -- server -> registry -------------------------------------------------------------------------
struct server_readiness;
struct shortage_found;

// -- gateway, upstream, router, gate, store -> registry -----------------------------------------------

struct handover_peer_known;
struct server_known;
struct name_left_out;
struct list_part_changed;
struct restore_session;
struct gate_closed;
struct tenure_lost;
struct tenure_regained;
struct session_regained;
struct session_let_go;
struct session_taken;
struct node_cut_off;
struct callers_stale;
struct session_judged;

// -- host -> gateway ---------------------------------------------------------------------------

/// ROOT: stands for a gateway among its host's actors. Ends with the registry, which it ends when it is told to exit.
using root_actor = caf::typed_actor<caf::reacts_to<drain>>;

/// REGISTRY: knows the session of every id and every server, and owns them all. Ends when it drains, the last session
/// has ended and nothing awaits the answer of another node.
using registry_actor = session_requests_actor::extend<
    caf::reacts_to<readiness_probe>, caf::reacts_to<state_probe>, caf::reacts_to<operator_asks>, caf::reacts_to<drain>,
    caf::reacts_to<configure>, caf::reacts_to<server_known>, caf::reacts_to<name_left_out>,
    caf::reacts_to<list_part_changed>, caf::reacts_to<server_readiness>, caf::reacts_to<restore_session>,
    caf::reacts_to<tenure_lost>, caf::reacts_to<tenure_regained>, caf::reacts_to<session_regained>,
    caf::reacts_to<session_let_go>, caf::reacts_to<session_taken>, caf::reacts_to<node_cut_off>,
    caf::reacts_to<gate_closed>, caf::reacts_to<callers_stale>, caf::reacts_to<session_judged>,
    caf::reacts_to<handover_peer_known>, caf::reacts_to<shortage_found>>;
/// The registry itself, which also wakes by time.
using reminded_registry_actor = registry_actor::extend<caf::reacts_to<tick>>;

// -- registry -> session ---------------------------------------------------------------------------

/// One of the servers that a session sees merged, and whom to ask for it.
struct member {
  protocol::catalog_server server;
  server_actor actor;
  /// Who may use it, and what of it; null when all may use all.
  std::shared_ptr<const protocol::permissions> access = {};
  std::shared_ptr<const protocol::operation_peer> peer = {}; // as which its calls are measured
  protocol::roots_rule roots = {};
};
/// The servers that are merged, from now on.
struct members_changed {
  std::vector<member> members;
};

/// SESSION: one client's session. Uses each broker until it is answered.
using session_actor = downstream_actor::extend_with<session_requests_actor>::extend<
    caf::reacts_to<drain>, caf::reacts_to<session_disowned>, caf::reacts_to<session_departs>,
    caf::reacts_to<tenure_regained>, caf::reacts_to<session_regained>, caf::reacts_to<session_released>,
    caf::reacts_to<members_changed>, caf::reacts_to<caller_stale>, caf::reacts_to<report_request>,
    caf::reacts_to<describe_request>, caf::reacts_to<follow_request>, caf::reacts_to<end_call>,
    caf::reacts_to<restart_request>, caf::reacts_to<tick>>;

} // namespace troupe::actors

#include "actors/access_messages.hpp"
#include "actors/cluster_messages.hpp"
#include "actors/operator_messages.hpp"
#include "actors/upstream_messages.hpp"

#include "actors/message_types.hpp"
