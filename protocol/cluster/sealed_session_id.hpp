#pragma once

#include "protocol/cluster/node_life.hpp"
#include "protocol/ids.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

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

} // namespace troupe::protocol
