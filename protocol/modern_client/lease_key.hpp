#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/request_state.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Which requests of 2026-07-28 meet the same processes of a server.
enum class lease_affinity {
  /// Those of one caller.
  principal,
  /// Each meets its own.
  none,
  /// Those of one caller with the same `Troupe-Affinity`.
  header
};

/// The affinity of several servers as one: the one of them that keeps requests apart least where that is wanted for
/// any. `header` before `principal` before `none`.
lease_affinity joined(lease_affinity one, lease_affinity other);

/// The owner of a lease for requests of `who`, see `identity_of`. Clients on the gateway's machine that have roots,
/// which servers may learn, share no lease with others.
std::string lease_owner(std::string who, bool is_local, const client_profile& can);

/// What requests share a lease by. `owner` is who asks, see `lease_owner`; `handle` is the `Troupe-Affinity`, or empty.
lease_key shared_lease_key(std::string_view path, std::string_view owner, const client_profile& can,
                           std::string_view handle = {});

/// The key of a request's lease where servers have that affinity; nothing when it gets a lease of its own.
std::optional<lease_key> lease_key_by(lease_affinity affinity, std::string_view path, std::string_view owner,
                                      const request_envelope& envelope);

/// The lease that a retry names by its `requestState`; empty when it has none, or one that has another form than ours.
std::string lease_of_retry(const message& request);

/// Whether this gateway, or a node of its cluster, made the `requestState` of a retry for the caller of that seal.
bool has_own_state(const message& retry, const state_seal& seal);

} // namespace troupe::protocol
