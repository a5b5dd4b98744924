#pragma once

#include "protocol/cluster/forwarded_exchange.hpp"
#include "protocol/cluster/session_routes.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// How fast a node restores sessions, as each starts a process or asks a server: not more than so many in any second,
/// first come, first served. A session that is sought counts until it is known whether it begins here. Facts in,
/// decisions out.
class restore_pace {
public:
  /// How long a session waits at most; one that would wait longer is refused.
  static constexpr std::chrono::seconds patience{10};
  /// When its turn is.
  enum class turn { now, later, never };

  explicit restore_pace(std::size_t a_second) : most_{a_second} {}

  // -- facts
  /// A session is wanted; one that waits or is sought already must not be asked for again.
  turn asked(const std::string& session, time_point now);
  /// A session that was sought begins here, or it does not.
  void found(const std::string& session, bool begins, time_point now);
  /// The sessions whose turn it is: they are sought from now on.
  std::vector<std::string> due(time_point now);

  // -- what follows
  /// When `due` has something to say, unless something is found before.
  time_point deadline() const;
  /// After how long somebody who was refused may come again.
  std::chrono::seconds pause() const;

private:
  bool has_turn(time_point now);

  std::size_t most_;
  std::deque<std::string> waiting_;
  std::set<std::string> sought_;
  /// When sessions began, in the last second.
  std::deque<time_point> begun_;
};

// What becomes of a request.

/// Tell its client that.
struct refuse_request {
  rejection why;
  friend bool operator==(const refuse_request&, const refuse_request&) = default;
};
/// Pass it on to that node. Another is asked when that one cannot tell, unless this is the `last_try`.
struct forward_request {
  node_life to;
  bool last_try = false;
  friend bool operator==(const forward_request&, const forward_request&) = default;
};
/// It waits for what the store says of its session, or until the store may be asked.
struct await_store {
  friend bool operator==(const await_store&, const await_store&) = default;
};
/// It waits until the other nodes are known.
struct await_nodes {
  friend bool operator==(const await_nodes&, const await_nodes&) = default;
};
/// It waits for what the store says, and the store is to be asked. `alive` are owners that need not be waited for, as
/// `life_text`; the `doubted` one of them has just said that it cannot tell.
struct ask_store {
  std::vector<std::string> alive;
  std::string doubted = {};
  friend bool operator==(const ask_store&, const ask_store&) = default;
};
/// It is for this node.
struct take_here {
  friend bool operator==(const take_here&, const take_here&) = default;
};
using request_route = std::variant<refuse_request, forward_request, await_nodes, await_store, ask_store, take_here>;

/// The session that the store was asked for begins here, with all that waits for it.
struct begin_here {
  friend bool operator==(const begin_here&, const begin_here&) = default;
};
/// It does not. Requests of clients of this node and of one that is about to go, and those that other nodes have passed
/// on:
struct go_elsewhere {
  request_route of_clients;
  request_route of_nodes;
  friend bool operator==(const go_elsewhere&, const go_elsewhere&) = default;
};
/// Its owner is gone meanwhile: what waits for it is to be asked for anew.
struct ask_anew {
  friend bool operator==(const ask_anew&, const ask_anew&) = default;
};
using waiting_route = std::variant<begin_here, go_elsewhere, ask_anew>;

/// What becomes of a request that another node has refused.
enum class after_refusal { tell_client, fail, ask_again };

/// Where requests go whose session is not here, or that want one which is not to begin here: to another node, or back
/// to the client, perhaps after the store was asked.
class request_routing {
public:
  /// Requests that may wait at a time: for the store, of all sessions and of one; and as many for other nodes.
  static constexpr std::size_t most_waiting = 1000;
  static constexpr std::size_t most_of_one = 64;

  /// `has_store` when sessions can be taken over from nodes that are gone, so many in a second.
  request_routing(sealed_session_ids ids, node_life self, bool has_store, std::size_t restores_a_second)
      : routes_{std::move(ids), has_store}, self_{self}, has_store_{has_store}, pace_{restores_a_second} {}

  // -- facts of requests
  /// Without a session it wants a new one.
  request_route asked(const std::string& session, const post_body& body, came_by came, time_point now);
  /// The node that was asked could not tell, and whoever it is that the store names is asked; that node once more at
  /// most.
  request_route asked_again(const std::string& session, node_life could_not_tell, time_point now);
  /// A request of 2026-07-28 that goes on with a lease which is not here.
  request_route asked_of_lease(const std::string& lease, const post_body& body, came_by came);
  /// One that has a lease by a key, see `lease_key`: all with that key go to the same node. `request` is its id, as a
  /// JSON token; `not_at` is a node that was asked, and takes nothing new.
  request_route placed(std::string_view key, std::string request, std::optional<node_life> not_at = {});
  after_refusal refused(const forwarded_exchange& by, const rejection& why, bool has_copy);
  /// The node that was asked has not got the session any more.
  void lost(const std::string& session) { routes_.lost(session); }
  /// What the store said. Nothing unless something waits for that.
  std::optional<waiting_route> found(const std::string& session, tell_seeker::outcome is, const std::string& owner,
                                     time_point now);
  /// The sessions that the store is to be asked for now, as there were too many before.
  std::vector<std::pair<std::string, ask_store>> due(time_point now);

  // -- facts of nodes
  /// The other members from now on; until `settled` there may be more. What waits for them is asked for again then.
  /// Those that have `left` have said so. Returns whether `is_cut_off` has changed.
  bool members(const std::vector<known_node>& nodes, bool settled, const std::set<node_life>& left);
  /// This node takes no new sessions, and has none any more when it `is_last`.
  void drains(bool is_last);
  /// It takes none, or takes them again, and stays.
  void opens(bool is_so) { draining_ = !is_so; }

  // -- what follows
  /// When `due` has something to say, unless the store says something before.
  time_point deadline() const { return pace_.deadline(); }
  bool is_draining() const { return draining_; }
  /// Whether this node has lost all others while they were at work.
  bool is_cut_off() const { return is_cut_off_; }
  /// Whether all nodes are known: others would be turned away for good.
  bool is_ready() const { return routes_.settled(); }
  /// Whether another node takes new sessions.
  bool has_open_node() const { return !routes_.open().empty(); }
  /// Whether a request may be sent to another node when the first one cannot tell.
  bool may_move(const std::string& session) const { return has_store_ && !session.empty(); }
  /// What a client hears whose session has lost its node, unless its calls fail.
  rejection gone() const;
  /// What the client of a request hears that went to a node which has left without having done it.
  rejection gone_with(const forwarded_exchange& of) const;
  /// Whether this node may end, if it does not await the answer of another to a call.
  bool may_end() const { return is_last_ && waiting_.empty() && early_ == 0; }

private:
  request_route begin_elsewhere(const post_body& body);
  request_route wait_for_nodes();
  request_route hand_on(const std::string& session);
  request_route seek(const std::string& session, node_life doubted, time_point now);
  ask_store question(node_life doubted) const;

  session_routes routes_;
  node_life self_;
  bool has_store_;
  restore_pace pace_;
  bool draining_ = false;
  bool is_cut_off_ = false;
  bool is_last_ = false;
  /// The requests of a session that wait for the store: how many, and the node that could not tell.
  struct waiting {
    std::size_t count = 0;
    node_life doubted = {};
  };
  std::map<std::string, waiting> waiting_;
  /// Of all sessions.
  std::size_t all_waiting_ = 0;
  /// Requests that came before the other nodes were known.
  std::size_t early_ = 0;
};

} // namespace troupe::protocol
