#pragma once

#include "protocol/cluster/node_identity.hpp"
#include "protocol/ids.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Session ids of a cluster. Each names the node that owns the session, under a seal that only nodes of the cluster can
/// make. Any node finds the owner without a query, and clients cannot forge an id that leads to a node.
class sealed_session_ids {
public:
  /// Computes digests of a text under each key of the cluster; the first key seals new ids.
  using sealer = std::function<std::vector<random_bytes>(std::string_view)>;

  explicit sealed_session_ids(sealer seals) : seals_{std::move(seals)} {}

  /// 96 lower-case hexadecimal digits: first the random ones, which logs show; then the owner and the seal.
  std::string make(const random_bytes& bytes, node_life owner) const;
  /// Owner named in a session id; empty if this cluster did not make the id.
  std::optional<node_life> owner(std::string_view id) const;

private:
  sealer seals_;
};

/// The life that a session id names, as `life_text`, whoever made the id.
std::string life_named_by(std::string_view id);

} // namespace troupe::protocol
