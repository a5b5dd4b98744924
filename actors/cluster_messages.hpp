#pragma once

#include "actors/messages.hpp"
#include "protocol/cluster/membership_effects.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/ids.hpp"

#include <string>

namespace troupe::actors {

// A sheet of `messages.hpp`, which includes it: what nodes say to each other, and what is said to find them
// and what they have in common.

// -- gate -> gate of another node, relay -> router of another node --------------------------------

// What follows travels between nodes. An exchange is numbered by the node that has its connection, and never again;
// `from` is that node.

/// Asks the session's node to take a request in.
struct relay_request {
  /// `operate` is an operator's, whose method, target and body are `server`, `session` and `last`.
  enum class kind { post, listen, end, operate };
  protocol::node_life from = {};
  std::uint64_t exchange = 0;
  kind is = kind::post;
  std::string server = {};
  std::string session = {};
  std::string last = {};
  protocol::post_body body = {};
  protocol::transport via = protocol::transport::streamable_http;
  /// The node that asks is about to go: see `protocol::came_by`.
  bool leaves = false;
  /// Who asks, as that node has found out, and whose sessions are counted with what a POST begins.
  protocol::caller caller = {};
  std::string counted_as = {};
  /// What a request of 2026-07-28 says of its client, which goes `via` no session; null for others.
  std::shared_ptr<const protocol::request_envelope> envelope = {};
  bool is_strangers = false;
  /// Its client is on this machine: never so at another node, which is not told of it.
  bool is_local = false;
  /// What the caller has shown, where a server takes it in exchange; otherwise empty. Nodes that speak in plain with
  /// other machines have no such servers.
  std::string token = {};
};
/// So many bytes of the answer's events were passed on.
struct relay_taken {
  protocol::node_life from = {};
  std::uint64_t exchange = 0;
  std::uint64_t bytes = 0;
};
/// The client is gone.
struct relay_closed {
  protocol::node_life from = {};
  std::uint64_t exchange = 0;
};
/// The session is that node's from now on, as the store has said: who had it before, and waits for the store, ends it.
struct session_taken {
  std::string session = {};
};
/// A part of the answer: what a broker is told; or `lost` when nobody will say more.
struct relay_answer {
  enum class kind { reply, accepted, ended, rejected, begin, event, end, lost };
  std::uint64_t exchange = 0;
  kind is = kind::reply;
  std::string text = {};
  std::string session = {};
  protocol::rejection why = {};
  /// With the end of the answer.
  exchange_report report = {};
};

/// ROUTER, as other nodes see it: where they answer what it passed to them.
using remote_router_actor = caf::typed_actor<caf::reacts_to<relay_answer>>;

struct peer_hello;

/// GATE, as other nodes see it: what a node publishes.
using gate_actor =
    caf::typed_actor<caf::reacts_to<peer_hello>, caf::reacts_to<relay_request>, caf::reacts_to<relay_taken>,
                     caf::reacts_to<relay_closed>, caf::reacts_to<session_taken>>;

/// Who a node is, and where it hears.
struct peer_hello {
  protocol::node_hello hello;
  gate_actor gate;
  remote_router_actor router;
};

// -- registry, cluster -> gate, router ------------------------------------------------------------------------

/// Another member, and its actors.
struct member_node {
  protocol::known_node node;
  gate_actor gate;
  remote_router_actor router;
};
/// The other members from now on. Until `settled` there may be more.
struct members_of_cluster {
  std::vector<member_node> nodes;
  bool settled = false;
};

/// This node takes no new sessions.
struct node_drains {
  /// None is left here: the gate closes, and the router ends when nothing that it has passed on awaits an answer.
  bool is_last = false;
  /// Nor does it wait.
  bool at_once = false;
};

/// Whether this node takes new sessions, which other nodes are to know. One that takes none may stay: who listens
/// through it goes on.
struct node_open {
  bool is_so = true;
};

/// GATE: takes in the requests of other nodes for sessions of this one.
using local_gate_actor =
    gate_actor::extend<caf::reacts_to<members_of_cluster>, caf::reacts_to<node_drains>, caf::reacts_to<report_request>>;

// -- cluster -> router ------------------------------------------------------------------------------

/// A node has left, after it had answered all that it had taken in: what it was asked and has not answered it has not
/// done. It is a member until the next `members_of_cluster`, and may be asked in vain until then.
struct node_left {
  protocol::node_life node;
};

// -- gate -> relay ----------------------------------------------------------------------------------

/// RELAY: the broker of an exchange whose connection another node has.
using relay_actor = broker_actor::extend<caf::reacts_to<relay_taken>, caf::reacts_to<relay_closed>>;

// -- lookup, links, registry -> cluster, router -----------------------------------------------------------

/// A name was looked up; no addresses when there are none.
struct name_found {
  std::string name;
  std::vector<std::string> addresses;
};
/// A node that has the cluster's key: at the address that was dialled, or, without one, it has dialled this node.
/// `hello` is its card.
struct link_offered {
  protocol::link_id link = 0;
  std::string address;
  std::string hello;
};
/// The link failed. `hello` is the card of the other node, if it has the cluster's key.
struct link_failed {
  std::string address;
  std::string why;
  std::string hello;
};
/// A link that was asked for has bytes.
struct link_opened {
  protocol::link_id link = 0;
};
struct link_closed {
  protocol::link_id link = 0;
};
/// CLUSTER: who the other nodes are. Finds them, and has the links to them.
using cluster_actor =
    caf::typed_actor<caf::reacts_to<peer_hello>, caf::reacts_to<name_found>, caf::reacts_to<link_offered>,
                     caf::reacts_to<link_failed>, caf::reacts_to<link_opened>, caf::reacts_to<link_closed>,
                     caf::reacts_to<node_drains>, caf::reacts_to<node_open>, caf::reacts_to<report_request>,
                     caf::reacts_to<tick>>;

// -- session, router, registry -> store ----------------------------------------------------------

/// What is needed to begin the session again elsewhere, whenever that has changed: a `protocol::session_record`.
struct session_saved {
  std::string session;
  std::string record;
  /// Of the tenure by which the session was this node's then: by a later one it has to be claimed first.
  std::uint64_t term = 0;
};
/// The session was this node's before the tenure was interrupted, and is to be again, as `how` says: answered with
/// `session_regained`, or `tenure_lost`, unless the tenure is interrupted once more.
struct session_claimed {
  std::string session;
  std::string record;
  protocol::session_claim how;
};
/// An event that went on one of the session's streams; see `protocol::saved_event`.
struct event_saved {
  std::string session;
  protocol::saved_event what;
  /// See `session_saved`.
  std::uint64_t term = 0;
};
/// The session is over for good.
struct session_forgotten {
  std::string session;
};
/// The session ends here without another word, and may be another node's.
struct session_given_up {
  std::string session;
};
struct session_found {
  using outcome = protocol::tell_seeker::outcome;
  std::string session;
  outcome is = outcome::unknown;
  std::string owner;
  std::string record;
  std::vector<protocol::saved_event> events;
  /// The term of the tenure by which it is ours.
  std::uint64_t term = 0;
  /// The number by which it is ours.
  std::uint64_t taken = 0;
};

/// Who seeks a session.
using seeker_actor = caf::typed_actor<caf::reacts_to<session_found>>;

/// Wants to own a session, unless one of the nodes that are there (`alive`, as `protocol::life_text`) does; the
/// `doubted` one of them could not tell just now.
struct session_sought {
  std::string session;
  std::vector<std::string> alive;
  std::string doubted;
  seeker_actor to;
};

/// What became ours by that number does not begin here: anybody may have it, unless it has become ours again since.
struct session_given_back {
  std::string session;
  std::uint64_t taken = 0;
};

/// What was said of the session until now is all, and then anybody may have it; answered with `session_let_go`.
struct session_handed_over {
  std::string session;
  /// See `session_saved`.
  std::uint64_t term = 0;
};

/// STORE: keeps what sessions need to survive their node, outside of all nodes, and who owns each of them.
using store_actor = caf::typed_actor<caf::reacts_to<session_saved>, caf::reacts_to<session_claimed>,
                                     caf::reacts_to<event_saved>, caf::reacts_to<session_forgotten>,
                                     caf::reacts_to<session_given_up>, caf::reacts_to<session_sought>,
                                     caf::reacts_to<session_given_back>, caf::reacts_to<session_handed_over>>;

// -- redis client -> its store ---------------------------------------------------------------

/// One of the connections to Redis is usable from now on, or no longer, and then why.
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
  /// Of a claim: in which it was made.
  std::uint64_t term = 0;
  protocol::store_answer answer;
};
struct search_answered {
  protocol::search_result what;
};

/// Who hears when the tenure of the store's node has run out, or that of one session, and who may have a session now.
using store_user_actor = caf::typed_actor<caf::reacts_to<tenure_lost>, caf::reacts_to<tenure_regained>,
                                          caf::reacts_to<session_regained>, caf::reacts_to<session_let_go>>;

/// STORE in a Redis.
using redis_store_actor =
    store_actor::extend<caf::reacts_to<store_reached>, caf::reacts_to<tenure_answered>, caf::reacts_to<write_answered>,
                        caf::reacts_to<search_answered>, caf::reacts_to<tick>>;

/// A request that waits for its session, and who awaits the answer.
struct waiting_request {
  relay_request what;
  broker_actor broker;
  protocol::came_by came = protocol::came_by::client;
  /// What a request of 2026-07-28 has a lease by; see `lease_sought`.
  std::string key = {};
};
/// The session is this node's from now on, by the tenure of that term; see `session_found`.
struct restore_session {
  std::string session;
  std::string record;
  std::vector<protocol::saved_event> events;
  std::uint64_t term = 0;
  std::uint64_t taken = 0;
  std::vector<waiting_request> waiting;
};

// -- registry -> session ------------------------------------------------------------------------

/// Another node may own the session now: if the store keeps it, it ends here without another word to its server.
struct session_disowned {};
/// This node is about to go, and others serve its sessions with it until then: clients that listen at this node are to
/// come back at another, which takes the session at its first idle moment if the store keeps it.
struct session_departs {};
/// The store lets other nodes have the session, or the tenure has ended: the registry sends it nothing more.
struct session_released {};

// -- registry -> router ----------------------------------------------------------------------------

/// A request of 2026-07-28 of a client of this node, and what it has a lease by, see `protocol::lease_key`: whoever
/// comes with that key, to whichever node, is to meet the same lease. It goes to the key's node; if that is this one,
/// back to the registry as `came_by::placed`.
struct lease_sought {
  client_post request;
  protocol::lease_key key;
};

// -- router, cluster -> registry ----------------------------------------------------------------------

/// Whether this node has lost all others while they were at work, so that they may have found each other and Redis; or
/// Redis, which others reach.
struct node_cut_off {
  enum class side { nodes, store };
  side from = side::nodes;
  bool is_so = false;
};

// -- gate -> registry -------------------------------------------------------------------------------

/// Nothing that other nodes ask is taken in any more.
struct gate_closed {};

// -- store -> registry -------------------------------------------------------------------------------

/// This node no longer owns a session for certain: another node does, or nobody, and it has to end here. Without an id:
/// the tenure has run out, and of all sessions that the store keeps nobody may hear anything until it runs again.
struct tenure_lost {
  std::string session = {};
};
/// The tenure runs again: to the registry, and from there to the sessions that waited for that, which are to be
/// claimed.
struct tenure_regained {
  protocol::session_claim how;
  /// See `protocol::claim_again`.
  bool only_last_term = false;
};
/// A session is this node's again, by the tenure of that term: to the registry, and from there to the session. One that
/// the store was never told of says so itself.
struct session_regained {
  std::string session = {};
  std::uint64_t term = 0;
};
/// Other nodes may have the session now, as it has asked. A lease says that of itself when it has ended; both are
/// answered with `session_released`.
struct session_let_go {
  std::string session;
};

/// ROUTER: finds the node of a session that is not here, and passes its requests on.
using router_actor = remote_router_actor::extend_with<session_requests_actor>::extend<
    caf::reacts_to<readiness_probe>, caf::reacts_to<members_of_cluster>, caf::reacts_to<node_left>,
    caf::reacts_to<session_found>, caf::reacts_to<lease_sought>, caf::reacts_to<operator_asks>,
    caf::reacts_to<node_drains>, caf::reacts_to<node_open>, caf::reacts_to<report_request>, caf::reacts_to<tick>>;

// -- socket -> process link -------------------------------------------------------------------------

/// The other process has sent a text.
struct process_said {
  std::string text;
};
/// It is gone.
struct process_gone {};

/// PROCESS_LINK: what the other process is to a gate, and to who passes requests on.
using process_link_actor =
    gate_actor::extend_with<remote_router_actor>::extend<caf::reacts_to<process_said>, caf::reacts_to<process_gone>>;

// -- registry -> other process ------------------------------------------------------------------------

/// HANDOVER_PEER: of the two that one gateway is during a handover. Has the sessions that are not in this one.
using handover_peer_actor =
    remote_router_actor::extend_with<session_requests_actor>::extend<caf::reacts_to<node_drains>, caf::reacts_to<tick>>;

// -- gateway -> registry --------------------------------------------------------------------------------

/// There are two processes from now on. What is new begins in the other one if that has taken over; otherwise it is the
/// one that was there before.
struct handover_peer_known {
  handover_peer_actor who;
  bool has_taken_over = false;
};

} // namespace troupe::actors
