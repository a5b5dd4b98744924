#pragma once

#include "protocol/cluster/membership_effects.hpp"
#include "protocol/cluster/sealed_session_id.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Where a session that is not on this node may be.
struct session_route {
  enum class kind {
    /// Nowhere: it never was, or is over.
    nowhere,
    /// Perhaps with a node that is not known yet.
    not_yet,
    /// With another node.
    elsewhere,
    /// The store may know.
    ask_store
  };
  kind is = kind::nowhere;
  /// The node, when it is elsewhere.
  node_life owner = {};

  friend bool operator==(const session_route&, const session_route&) = default;
};

/// Which node has a session: the one that its id names, or one that has taken it over since. Never sends anybody to a
/// node that is lost, nor to an earlier or later life of one.
class session_routes {
public:
  /// `has_store` when sessions can be taken over from nodes that are gone.
  session_routes(sealed_session_ids ids, bool has_store) : ids_{std::move(ids)}, has_store_{has_store} {}

  /// The other members from now on; until `settled` there may be more.
  void members(const std::vector<known_node>& nodes, bool settled);
  /// Where a session is that is not this node's; nothing when there is `self`.
  session_route find(const std::string& session, node_life self) const;
  /// Where a new session may begin that is not to begin here: the nodes that take any, in turn; nothing without one.
  std::optional<node_life> for_new();
  /// Another node has taken the session over.
  void moved(const std::string& session, node_life to);
  /// It is not where it was thought to be.
  void lost(const std::string& session);

  bool settled() const { return settled_; }
  bool is_alive(node_life node) const { return alive_.contains(node); }
  const std::set<node_life>& alive() const { return alive_; }
  /// Those that take new sessions.
  const std::vector<node_life>& open() const { return open_; }
  /// Sessions that are remembered to have moved; the oldest are forgotten, and then asked for again.
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
