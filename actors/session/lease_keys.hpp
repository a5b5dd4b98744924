#pragma once

#include "actors/session/registry_parts.hpp"
#include "protocol/modern_client/lease_key.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// Rules by which stateless (2026-07-28) requests share a lease: by their caller, and by the servers that their path
/// leads to.
class lease_keys {
public:
  /// `parts` outlives it.
  explicit lease_keys(const registry_parts& parts) : parts_{parts} {}

  /// Returns the key of the lease of a request; empty when the request gets a lease of its own.
  std::optional<protocol::lease_key> key_of(const client_post& msg) const;
  /// Returns the affinity of all servers behind a path.
  protocol::lease_affinity affinity_at(const std::string& path) const;
  /// Returns the numbers of the servers behind a path that receive attributes of their callers, or have rules about
  /// them.
  std::vector<std::uint64_t> rule_servers_at(const std::string& path) const;
  /// Whether requests without a key meet the same server each time, on whichever node they arrive.
  bool is_met_again(const std::string& path) const;

private:
  std::string owner_at(const std::string& path, const protocol::caller& who) const;

  const registry_parts& parts_;
};

} // namespace troupe::actors
