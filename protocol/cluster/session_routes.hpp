#pragma once

#include "protocol/cluster/membership_effects.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "protocol/cluster/sealed_session_ids.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Returns the node that a key belongs to: the one with the highest weight, a hash of the key and of the node's name
/// (rendezvous hashing). Every node that knows the same nodes finds the same one, in any order. The nodes have about
/// equally many keys. When a node goes, only its keys move, and they return with it. Empty if there are no nodes.
std::optional<node_life> node_of_key(std::string_view key, const std::vector<node_life>& nodes);

/// Possible place of a session that is not on this node.
struct session_route {
  enum class kind {
    /// The session never was, or is over.
    nowhere,
    /// Perhaps at a node that is not known yet.
    not_yet,
    /// At a node that is no member, if that still runs.
    lost,
    /// At another node.
    elsewhere,
    /// Perhaps known to the store.
    ask_store
  };
  kind is = kind::nowhere;
  /// The node, unless `nowhere`.
  node_life owner = {};

  friend bool operator==(const session_route&, const session_route&) = default;
};

/// Map from sessions to nodes: the node that the session id names, or the node that has taken the session over since.
/// Never names a lost node, nor an earlier or later life of it.
class session_routes {
public:
  /// `has_store` if sessions can be taken over from lost nodes.
  session_routes(sealed_session_ids ids, bool has_store) : ids_{std::move(ids)}, has_store_{has_store} {}

  /// Takes all other members; until `settled` there may be more.
  void members(const std::vector<known_node>& nodes, bool settled);
  /// Finds a session that this node, `self`, does not have.
  session_route find(const std::string& session, node_life self) const;
  /// The node that an id of this cluster names.
  std::optional<node_life> named(const std::string& session) const { return ids_.owner(session); }
  /// Node for a new session that must not begin here: the nodes that take any, in turn, except `not_at`; empty if there
  /// is none.
  std::optional<node_life> for_new(std::optional<node_life> not_at = {});
  /// Notes that node `to` has taken the session over.
  void moved(const std::string& session, node_life to);
  /// The session is not where it was expected.
  void lost(const std::string& session);

  bool settled() const { return settled_; }
  bool is_alive(node_life node) const { return alive_.contains(node); }
  const std::set<node_life>& alive() const { return alive_; }
  /// Nodes that take new sessions.
  const std::vector<node_life>& open() const { return open_; }
  /// Limit of remembered moves. The oldest are forgotten, and then searched for again.
  static constexpr std::size_t most_moved = 10'000;

private:
  sealed_session_ids ids_;
  bool has_store_;
  bool settled_ = false;
  std::set<node_life> alive_;
  std::vector<node_life> open_;
  std::size_t next_open_ = 0;
  std::map<std::string, node_life> moved_;
  std::deque<std::string> moved_order_;
};

} // namespace troupe::protocol
