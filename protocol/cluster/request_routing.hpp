#pragma once

#include "protocol/cluster/forwarded_exchange.hpp"
#include "protocol/cluster/lost_lives.hpp"
#include "protocol/cluster/restore_pace.hpp"
#include "protocol/cluster/session_routes.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/taken_sessions.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Routes of a request.

/// Refuse the request.
struct refuse_request {
  rejection why;
  friend bool operator==(const refuse_request&, const refuse_request&) = default;
};
/// Pass the request on to a node. If that node cannot tell, another is queried, unless this is the `last_try`.
struct forward_request {
  node_life to;
  bool last_try = false;
  friend bool operator==(const forward_request&, const forward_request&) = default;
};
/// Let the request wait for the store's answer about its session, or until the store may be queried.
struct await_store {
  friend bool operator==(const await_store&, const await_store&) = default;
};
/// Let the request wait until the other nodes are known, or `must_route_again`.
struct await_nodes {
  friend bool operator==(const await_nodes&, const await_nodes&) = default;
};
/// Let the request wait, and query the store. `alive` are living owners, as `life_text`, which need not be waited for.
/// One of them, `uncertain_owner`, has just answered that it cannot tell.
struct ask_store {
  std::vector<std::string> alive;
  std::string uncertain_owner = {};
  friend bool operator==(const ask_store&, const ask_store&) = default;
};
/// Handle the request on this node.
struct serve_here {
  friend bool operator==(const serve_here&, const serve_here&) = default;
};
using request_route = std::variant<refuse_request, forward_request, await_nodes, await_store, ask_store, serve_here>;

/// The session begins here; its waiting requests are handled here.
struct restore_here {
  friend bool operator==(const restore_here&, const restore_here&) = default;
};
/// The session does not begin here. `of_clients` routes requests that clients, or a node about to stop, sent to this
/// node; `of_nodes` routes requests that other nodes passed on. If `returns`, the session is returned to the store
/// first, which has given it to this node.
struct forward_all_waiting {
  request_route of_clients;
  request_route of_nodes;
  bool returns = false;
  friend bool operator==(const forward_all_waiting&, const forward_all_waiting&) = default;
};
/// The owner named by the store has gone meanwhile: route the waiting requests again.
struct ask_anew {
  friend bool operator==(const ask_anew&, const ask_anew&) = default;
};
using waiting_route = std::variant<restore_here, forward_all_waiting, ask_anew>;

/// Reaction to another node's refusal of a request.
enum class after_refusal { send_to_client, fail, ask_again };

/// Router for requests that this node does not handle: to another node, or back to the client, perhaps after a query of
/// the store.
class request_routing {
public:
  /// Limits of waiting requests: for the store, in all and for one session; the first also for other nodes.
  static constexpr std::size_t most_waiting = 1000;
  static constexpr std::size_t most_of_one = 64;

  /// `has_store` if sessions of lost nodes can be restored here, up to `restores_a_second`.
  request_routing(sealed_session_ids ids, node_life self, bool has_store, std::size_t restores_a_second,
                  lost_lives::limits of_lost = {})
      : routes_{std::move(ids), has_store}, self_{self},
        has_store_{has_store}, pace_{restores_a_second}, lost_{self, of_lost} {}

  // -- facts of requests
  /// Routes a request; one without a session wants a new session.
  request_route asked(const std::string& session, const post_body& body, request_source came, time_point now);
  /// Routes a request again after a node could not tell: the store is queried, and the owner that it names gets the
  /// request. The same node gets it a second time, but no third. A node that stops has another one query the store.
  request_route asked_again(const std::string& session, node_life uncertain_node, time_point now);
  /// Routes a stateless (2026-07-28) request that names a lease which is not here.
  request_route asked_of_lease(const std::string& lease, const post_body& body, request_source came, time_point now);
  /// Routes a request that has a lease by a key, see `lease_key`: all with one key go to one node. `request` is the id,
  /// as a JSON token; `not_at` is a node that refused because it takes nothing new.
  request_route asked_by_key(std::string_view key, std::string request, std::optional<node_life> not_at = {});
  after_refusal refused(const forwarded_exchange& by, const rejection& why, bool has_copy);
  /// The queried node does not have the session any more.
  void lost(const std::string& session) { routes_.lost(session); }
  /// Takes the store's answer. `owner` is the one that it names, or named before a session that is ours now. Returns
  /// the route of the waiting requests; empty if none wait.
  std::optional<waiting_route> found(const std::string& session, search_outcome::outcome is, const std::string& owner,
                                     time_point now);
  /// Returns whether requests that wait for nodes are to be routed again.
  bool must_route_again(time_point now);
  /// Returns the sessions to query the store for now, which had to wait because of `restore_pace`.
  std::vector<std::pair<std::string, ask_store>> due(time_point now);

  // -- facts of nodes
  /// Takes all other members; until `settled` there may be more, and then requests that wait for nodes are routed
  /// again. Nodes in `left` announced that they leave. `ended` are lives that are known to have ended, too. Returns
  /// whether `is_cut_off` has changed.
  bool members(const std::vector<known_node>& nodes, bool settled, const std::set<node_life>& left, time_point now,
               const std::vector<node_life>& ended = {});
  /// Removes and returns the sessions that this node has taken from a member that has returned: it is to be notified.
  std::vector<std::string> extract_taken(node_life from) { return taken_.extract(from); }
  /// Stops taking new sessions. `is_last` once no session is left on this node.
  void drains(bool is_last);
  /// Whether this node, which stays, takes new sessions.
  void opens(bool is_so) { draining_ = !is_so; }

  // -- results
  /// The other members, as `life_text`: owners that the store need not wait for.
  std::vector<std::string> alive() const;
  /// When `due` has a result, unless the store answers before, or `must_route_again`.
  time_point deadline() const { return std::min(pace_.deadline(), early_until_); }
  bool is_draining() const { return draining_; }
  /// True if this node lost all other nodes, and not all of them had announced that they leave.
  bool is_cut_off() const { return is_cut_off_; }
  /// True if all nodes are known. Before that, requests for sessions of unknown nodes wait.
  bool is_ready() const { return routes_.settled(); }
  /// Whether another node takes new sessions.
  bool has_open_node() const { return !routes_.open().empty(); }
  /// True if another node may get the request when the first one cannot tell.
  bool may_move(const std::string& session) const { return has_store_ && !session.empty(); }
  /// Refusal for a request that node `at` did not answer, if it holds no call.
  rejection gone(node_life at, time_point now);
  /// Refusal for a request that was passed on to a node which left without handling it.
  rejection node_gone(const forwarded_exchange& of, time_point now);
  /// True if this node may exit, unless it still awaits another node's answer to a call.
  bool may_end() const { return is_last_ && waiting_.empty() && early_ == 0; }

private:
  request_route begin_elsewhere(const post_body& body);
  request_route wait_for_nodes();
  request_route wait_for_life(node_life owner, rejection if_ended, rejection if_unreachable, time_point now);
  request_route route_unknown(const std::string& session, node_life uncertain_owner, time_point now);
  void remember_taken(const std::string& session, std::optional<node_life> from, time_point now);
  void route_again();
  request_route forward_session(const std::string& session, std::optional<node_life> not_at = {});
  request_route search_store(const std::string& session, node_life uncertain_owner, request_source came,
                             time_point now);
  ask_store question(node_life uncertain_owner) const;

  session_routes routes_;
  node_life self_;
  bool has_store_;
  restore_pace pace_;
  lost_lives lost_;
  taken_sessions taken_;
  bool draining_ = false;
  bool is_cut_off_ = false;
  bool is_last_ = false;
  /// Requests of one session that wait for the store: their number, and the node that could not tell.
  struct waiting {
    std::size_t count = 0;
    node_life uncertain_owner = {};
  };
  std::map<std::string, waiting> waiting_;
  /// Waiting requests of all sessions.
  std::size_t all_waiting_ = 0;
  /// Requests that wait for other nodes.
  std::size_t early_ = 0;
  /// Time when they are routed again, unless the members change before.
  time_point early_until_ = time_point::max();
};

} // namespace troupe::protocol
