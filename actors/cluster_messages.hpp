#pragma once

#include "actors/messages.hpp"
#include "actors/session_messages.hpp"
#include "protocol/admin/admin_command.hpp"
#include "protocol/cluster/membership_effects.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/handover/process_watch.hpp"
#include "protocol/ids.hpp"

#include <caf/all.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

// A message header, see `messages.hpp`: between nodes, to find the nodes, and to use their shared store.

// -- gate -> gate of another node, relay -> router of another node --------------------------------

// Messages that travel between nodes. The node with an exchange's connection (`from`) numbers the exchange, and never
// uses the number again.

/// Asks the session's node to serve a request.
struct relay_request {
  /// `operate` is an operator's request.
  enum class kind { post, listen, end, operate };
  protocol::node_life from = {};
  std::uint64_t exchange = 0;
  kind is = kind::post;
  request_head head = {};
  std::string last = {};
  protocol::post_body body = {};
  /// Only of `operate`, which has none of the three members above.
  protocol::operator_request order = {};
  /// The sending node is about to leave, see `protocol::request_source`.
  bool leaves = false;
  /// See `client_post`.
  std::shared_ptr<const protocol::request_envelope> envelope = {};
  /// Token that the caller has sent, if a server takes it in exchange; otherwise empty. Nodes that talk in plain text
  /// with other machines have no such servers.
  std::string token = {};
};
/// Acknowledges bytes of the answer's events that were passed on.
struct relay_taken {
  protocol::node_life from = {};
  std::uint64_t exchange = 0;
  std::uint64_t bytes = 0;
};
/// The client disconnected.
struct relay_closed {
  protocol::node_life from = {};
  std::uint64_t exchange = 0;
};
/// The store has given the session to the sender. A previous owner that waits for the store ends the session.
struct session_taken {
  std::string session = {};
};
/// Part of an answer, as a broker receives it; `lost` if no more parts will ever follow.
struct relay_answer {
  enum class kind { reply, accepted, ended, rejected, begin, event, end, lost };
  std::uint64_t exchange = 0;
  kind is = kind::reply;
  std::string text = {};
  std::string session = {};
  protocol::rejection why = {};
  /// Sent with the end of the answer.
  exchange_report report = {};
};

/// ROUTER, as seen by other nodes: receives the answers to requests that it has passed on.
using remote_router_actor = caf::typed_actor<caf::reacts_to<relay_answer>>;

struct peer_hello;

/// GATE, as seen by other nodes: the actor that a node publishes.
using gate_actor =
    caf::typed_actor<caf::reacts_to<peer_hello>, caf::reacts_to<relay_request>, caf::reacts_to<relay_taken>,
                     caf::reacts_to<relay_closed>, caf::reacts_to<session_taken>>;

/// Identity and state of a node, and its actors for other nodes.
struct peer_hello {
  protocol::node_hello hello;
  gate_actor gate;
  remote_router_actor router;
};

// -- registry, cluster -> gate, router ------------------------------------------------------------------------

/// A member node other than this one, and its actors.
struct member_node {
  protocol::known_node node;
  gate_actor gate;
  remote_router_actor router;
};
/// Replaces the list of other members. More may follow until `settled`. `ended` are lost members that have
/// ended for certain.
struct cluster_members {
  std::vector<member_node> nodes;
  bool settled = false;
  std::vector<protocol::node_life> ended = {};
};

/// Announces that this node takes no new sessions.
struct node_drains {
  /// No session is left here: the gate closes, and the router ends once its forwarded requests are answered.
  bool is_last = false;
  /// The router does not wait for these answers either.
  bool at_once = false;
};

/// Whether this node takes new sessions, for other nodes. A node that takes none may stay: clients that listen through
/// it go on.
struct node_open {
  bool is_so = true;
};

/// GATE: takes requests of other nodes for sessions of this node.
using local_gate_actor =
    gate_actor::extend<caf::reacts_to<cluster_members>, caf::reacts_to<node_drains>, caf::reacts_to<report_request>>;

// -- cluster -> router ------------------------------------------------------------------------------

/// A node has left, and has answered every request that it had accepted: all other requests to it never ran. The node
/// remains in the list until the next `cluster_members`; requests to it may be in vain.
struct node_left {
  protocol::node_life node;
};

// -- gate -> relay ----------------------------------------------------------------------------------

/// RELAY: the broker of an exchange whose connection is on another node.
using relay_actor =
    broker_actor::extend<caf::reacts_to<relay_taken>, caf::reacts_to<relay_closed>, caf::reacts_to<request_held>>;

// -- lookup, links, registry -> cluster, router -----------------------------------------------------------

/// Result of a name lookup; without addresses if there are none.
struct name_found {
  std::string name;
  std::vector<std::string> addresses;
};
/// A link to a node that has the cluster's key: dialled at `address`, or, if that is empty, dialled by the other node.
/// `hello` is the other node's card.
struct link_offered {
  protocol::link_id link = 0;
  std::string address;
  std::string hello;
};
/// The link failed. `hello` is the card of the other node, if it has the cluster's key. `is_refused`: no process
/// listens at the address.
struct link_failed {
  std::string address;
  std::string why;
  std::string hello;
  bool is_refused = false;
};
/// A link that was requested has bytes to read.
struct link_opened {
  protocol::link_id link = 0;
};
struct link_closed {
  protocol::link_id link = 0;
};
/// CLUSTER: finds the other nodes, and has the links to them.
using cluster_actor =
    caf::typed_actor<caf::reacts_to<peer_hello>, caf::reacts_to<name_found>, caf::reacts_to<link_offered>,
                     caf::reacts_to<link_failed>, caf::reacts_to<link_opened>, caf::reacts_to<link_closed>,
                     caf::reacts_to<node_drains>, caf::reacts_to<node_open>, caf::reacts_to<report_request>,
                     caf::reacts_to<tick>>;

// -- session, router, registry -> store ----------------------------------------------------------

/// The session's record, needed to restore it elsewhere, has changed: a `protocol::session_record`.
struct session_saved {
  std::string session;
  std::string record;
  /// Term of the tenure in which the session was this node's. In a later term it must be claimed first.
  std::uint64_t term = 0;
};
/// Claims a session that was this node's before the tenure was interrupted, as `how` says. Answered with
/// `session_regained` or `tenure_lost`, unless the tenure is interrupted again.
struct session_claimed {
  std::string session;
  std::string record;
  protocol::session_claim how;
};
/// An event that was sent on one of the session's streams; see `protocol::saved_event`.
struct event_saved {
  std::string session;
  protocol::saved_event what;
  /// See `session_saved`.
  std::uint64_t term = 0;
};
/// The session has ended for good. Answered with `session_gone`, or `tenure_lost` if another node has it.
struct session_forgotten {
  std::string session;
  /// See `session_saved`.
  std::uint64_t term = 0;
};
/// The session ends here without notice, and may be another node's.
struct session_abandoned {
  std::string session;
};
struct session_found : protocol::search_outcome {
  /// Term of the tenure in which the session is ours.
  std::uint64_t term = 0;
};

/// Receiver of the result of a search.
using search_receiver_actor = caf::typed_actor<caf::reacts_to<session_found>>;

/// Seeks ownership of a session, unless a running node has it (`alive`, as `protocol::life_text`). `uncertain_owner` is
/// the one of these nodes that could not tell just now.
struct session_search {
  std::string session;
  std::vector<std::string> alive;
  std::string uncertain_owner;
  search_receiver_actor to;
};

/// The reachable nodes have changed, as `session_search::alive`, for the searches under way.
struct nodes_alive {
  std::vector<std::string> alive;
};

/// A session that became ours by that search does not begin here. Other nodes may have it, unless it is ours again.
struct session_returned {
  std::string session;
  std::uint64_t taken = 0;
};

/// Other nodes may have the session once everything sent before is written; answered with `session_let_go`.
struct session_handed_over {
  std::string session;
  /// See `session_saved`.
  std::uint64_t term = 0;
};

/// STORE: keeps the data that sessions need to survive their node, outside of all nodes, and the owner of each.
using store_actor =
    caf::typed_actor<caf::reacts_to<session_saved>, caf::reacts_to<session_claimed>, caf::reacts_to<event_saved>,
                     caf::reacts_to<session_forgotten>, caf::reacts_to<session_abandoned>,
                     caf::reacts_to<session_search>, caf::reacts_to<nodes_alive>, caf::reacts_to<session_returned>,
                     caf::reacts_to<session_handed_over>>;

// -- redis client -> its store ---------------------------------------------------------------

/// A connection to Redis became usable, or was lost for the given reason.
struct store_reached {
  protocol::store_connection by = protocol::store_connection::tenure;
  std::string why_lost;
};
struct tenure_answered {
  protocol::store_answer answer;
};
struct write_answered {
  std::string session;
  protocol::store_task what = {};
  /// Term in which a claim was made.
  std::uint64_t term = 0;
  protocol::store_answer answer;
};
struct search_answered {
  protocol::search_result what;
};

/// Receives the loss and the return of a node's tenure or of a session, and releases and ends of sessions.
using store_user_actor =
    caf::typed_actor<caf::reacts_to<tenure_lost>, caf::reacts_to<tenure_regained>, caf::reacts_to<session_regained>,
                     caf::reacts_to<session_let_go>, caf::reacts_to<session_taken>, caf::reacts_to<session_gone>>;

/// STORE in Redis.
using redis_store_actor =
    store_actor::extend<caf::reacts_to<store_reached>, caf::reacts_to<tenure_answered>, caf::reacts_to<write_answered>,
                        caf::reacts_to<search_answered>, caf::reacts_to<tick>>;

/// A request that waits for its session, and the broker of its answer.
struct waiting_request {
  relay_request what;
  broker_actor broker;
  protocol::request_source came = protocol::request_source::client;
  /// Lease key of a stateless (2026-07-28) request; see `lease_lookup`.
  std::string key = {};
};
/// The session is this node's from now on, in that term of the tenure.
struct restore_session : session_found {
  std::vector<waiting_request> waiting;
};

// -- registry -> session ------------------------------------------------------------------------

/// The session may be another node's now: if the store keeps it, it ends here without notifying its server.
struct session_disowned {};
/// The node is about to leave, and other nodes already serve its sessions. Clients that listen here are to reconnect at
/// another node, which takes the session at its first idle moment if the store keeps it.
struct session_departs {};
/// The store lets other nodes have the session, or it is over: no more messages of the registry follow.
struct session_released {};

// -- registry -> router ----------------------------------------------------------------------------

/// A stateless (2026-07-28) request of a client of this node, and its lease key, see `protocol::lease_key`. Requests
/// with one key reach the same lease, whichever node they arrive at. The request goes to the key's node. If that is
/// this node, it returns to the registry as `request_source::router`.
struct lease_lookup {
  client_post request;
  protocol::lease_key key;
};

// -- router, cluster -> registry ----------------------------------------------------------------------

/// Whether this node has lost all other nodes while these were running, so that they may still reach each other and
/// Redis; or has lost Redis, which other nodes reach.
struct node_cut_off {
  enum class side { nodes, store };
  side from = side::nodes;
  bool is_so = false;
};

// -- gate -> registry -------------------------------------------------------------------------------

/// The gate takes no more requests of other nodes.
struct gate_closed {};

// -- store -> registry -------------------------------------------------------------------------------

/// The session is certainly not this node's any more, but another node's or nobody's, and must end here. Without an id:
/// the tenure has run out, and clients of all sessions in the store receive nothing until it runs again.
struct tenure_lost {
  std::string session = {};
};
/// The tenure runs again, or in another store. Sent to the registry, and from there to the sessions to be claimed.
struct tenure_regained {
  protocol::session_claim how;
};
/// The session is this node's again, in that term of the tenure. Sent to the registry, and from there to the session. A
/// session without a record in the store sends it by itself.
struct session_regained {
  std::string session = {};
  std::uint64_t term = 0;
};
/// Other nodes may take the session now, as it has requested. A session or a lease sends this by itself when it
/// `is_over`. Answered with `session_released`.
struct session_let_go {
  std::string session;
  bool is_over = false;
};
/// The store has forgotten the session, as it has requested. Without `is_done`, it could not. Sent to the
/// registry, and from there to the session.
struct session_gone {
  std::string session;
  bool is_done = true;
};

/// ROUTER: finds the node of a session that is not here, and passes its requests on.
using router_actor = remote_router_actor::extend_with<session_requests_actor>::extend<
    caf::reacts_to<readiness_probe>, caf::reacts_to<cluster_members>, caf::reacts_to<node_left>,
    caf::reacts_to<session_found>, caf::reacts_to<lease_lookup>, caf::reacts_to<admin_request>,
    caf::reacts_to<node_drains>, caf::reacts_to<node_open>, caf::reacts_to<report_request>, caf::reacts_to<tick>>;

// -- socket -> process link -------------------------------------------------------------------------

/// A text of the other process has arrived.
struct process_said {
  std::string text;
};
/// The process at the other end is gone.
struct process_gone {};
/// Sign of life from the other process, or for it.
struct process_sign {
  protocol::peer_sign is = protocol::peer_sign::alive;
};

/// PROCESS_LINK: the other process, as seen by a gate and by the actor that passes requests on.
using process_link_actor =
    gate_actor::extend_with<remote_router_actor>::extend<caf::reacts_to<process_said>, caf::reacts_to<process_gone>,
                                                         caf::reacts_to<process_sign>>;

// -- registry -> other process ------------------------------------------------------------------------

/// HANDOVER_PEER: the other process of a gateway during a handover. Has the sessions that are not in this process.
using handover_peer_actor =
    remote_router_actor::extend_with<session_requests_actor>::extend<caf::reacts_to<node_drains>, caf::reacts_to<tick>,
                                                                     caf::reacts_to<process_sign>>;

// -- gateway -> registry --------------------------------------------------------------------------------

/// Announces a second process. If it has taken over, new sessions begin there; otherwise it is the process that was
/// there before. `is_lost`: the other process is gone, and takes no further requests.
struct handover_peer_known {
  handover_peer_actor who;
  bool has_taken_over = false;
  bool is_lost = false;
};

} // namespace troupe::actors

// clang-format off
#define TROUPE_CLUSTER_MESSAGES(each) \
  each(session_disowned) each(session_departs) each(session_released) each(session_let_go) each(session_gone) each(session_regained) \
  each(tenure_regained) each(tenure_lost) each(lease_lookup) each(cluster_members) each(name_found) \
  each(link_offered) each(link_failed) each(link_opened) each(link_closed) each(node_drains) each(node_open) \
  each(node_left) each(node_cut_off) each(gate_closed) each(session_saved) each(session_claimed) each(event_saved) \
  each(session_forgotten) each(session_abandoned) each(session_found) each(session_search) each(nodes_alive) \
  each(session_returned) each(session_handed_over) each(store_reached) each(tenure_answered) each(write_answered) each(search_answered) \
  each(restore_session) each(process_said) each(process_gone) \
  each(process_sign) each(handover_peer_known)
// clang-format on

/// Messages that travel between nodes.
#define TROUPE_NODE_MESSAGES(each)                                                                                     \
  each(peer_hello) each(relay_request) each(relay_taken) each(relay_closed) each(relay_answer) each(session_taken)

namespace troupe::actors {

/// Registers the names of the messages that travel between nodes. All nodes of a cluster have the same names.
void register_messages(caf::actor_system_config& config);

TROUPE_NODE_MESSAGES(TROUPE_CAN_TRAVEL)

} // namespace troupe::actors

namespace caf {

TROUPE_CLUSTER_MESSAGES(TROUPE_STAYS_HERE)
TROUPE_NODE_MESSAGES(TROUPE_IS_ELSEWHERE)

} // namespace caf
