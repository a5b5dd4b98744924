#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/request_state.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Decides which stateless (2026-07-28) requests share the processes of a server.
enum class lease_affinity {
  /// Requests of one caller share.
  principal,
  /// Each request gets its own.
  none,
  /// Requests of one caller with equal `Troupe-Affinity` share.
  header
};

/// Merges the affinities of several servers that serve as one: `header` if any has it, otherwise `principal`, otherwise
/// `none`.
lease_affinity joined(lease_affinity one, lease_affinity other);

/// Returns the owner of a lease for requests of `who`, see `identity_of`. Local clients with roots, which servers may
/// see, share no lease with other clients.
std::string lease_owner(std::string who, bool is_local, const client_profile& can);

/// Returns the key of a shared lease. `owner`: see `lease_owner`; `handle`: the `Troupe-Affinity`, or empty.
lease_key shared_lease_key(std::string_view path, std::string_view owner, const client_profile& can,
                           std::string_view handle = {});

/// Returns the key of a request's lease under that affinity; empty if the request gets its own lease.
std::optional<lease_key> lease_key_by(lease_affinity affinity, std::string_view path, std::string_view owner,
                                      const request_envelope& envelope);

/// Returns the lease named in a retry's `requestState`; empty if there is none, or it does not have our format.
std::string lease_of_retry(const message& request);

/// True if the `requestState` of a retry was made by this gateway, or a node of its cluster, for the caller of `seal`.
bool has_own_state(const message& retry, const state_seal& seal);

} // namespace troupe::protocol
