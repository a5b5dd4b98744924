#pragma once

#include "protocol/cluster/membership_effects.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "protocol/ids.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The node among those given that a key belongs to: the one with the highest weight for it, which is a hash of the key
/// and of the node's name (rendezvous hashing). Every node that knows the same nodes finds the same one, in whatever
/// order it knows them. Each node has about as many keys as any other; when one goes, only its keys move, and it has
/// them again when it is back. Nothing when there are no nodes.
std::optional<node_life> node_of_key(std::string_view key, const std::vector<node_life>& nodes);

/// Session ids of a cluster: each names the node that owns the session, under a seal that only the cluster's nodes can
/// make. Any of them finds the owner without asking anybody; nobody else can make an id that leads to a node.
class sealed_session_ids {
public:
  /// Digests of a text under each key of the cluster: under the first, new ids are made.
  using sealer = std::function<std::vector<random_bytes>(std::string_view)>;

  explicit sealed_session_ids(sealer seals) : seals_{std::move(seals)} {}

  /// 96 lower-case hexadecimal digits: the random ones first, which is what logs show of it.
  std::string make(const random_bytes& bytes, node_life owner) const;
  /// The owner of a session id; nothing when this cluster did not make it.
  std::optional<node_life> owner(std::string_view id) const;

private:
  sealer seals_;
};

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
