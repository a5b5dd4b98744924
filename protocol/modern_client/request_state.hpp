#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Longest `requestState` that we make or read, in bytes.
inline constexpr std::size_t longest_request_state = 4096;

/// Content of a `requestState` made by the gateway: the parked call that a retry continues (2026-07-28, multi
/// round-trip requests). Only a lookup key; the seal binds it to its caller.
struct request_state {
  /// Lease of the call; readable without the seal, to route the retry to its node and actor.
  std::string lease;
  /// Number of the call within the lease.
  std::uint64_t call = 0;
  /// Round of questions that the client was asked; each allows one retry.
  std::uint64_t round = 0;

  friend bool operator==(const request_state&, const request_state&) = default;
};

/// Returns the seals of a text for one caller, one for each of our keys; new texts get the first. Only we can make
/// them. All have the same number of letters and digits.
using state_seal = std::function<std::vector<std::string>(std::string_view text)>;

/// True if `given` seals the text under any of our keys.
bool is_sealed(std::string_view text, std::string_view given, const state_seal& seal);

/// Returns the text for the client: visible ASCII without quotes and backslashes.
std::string sealed_request_state(const request_state& state, const state_seal& seal);

/// Returns the raw `requestState` of a request; empty if it has none.
std::optional<std::string_view> request_state_of(const message& request);

/// Returns the lease in a text that has our format, without checking its origin; otherwise empty. A server's own state
/// has another format, unless the server is another Troupe gateway: only the seal distinguishes them.
std::string lease_of_request_state(std::string_view text);

/// Returns the content of a sealed text; empty if it was changed, was not made by us, or is for another caller.
std::optional<request_state> read_request_state(std::string_view text, const state_seal& seal);

/// True if the request has a `requestState` that was sealed with `seal`.
bool brings_own_state(const message& request, const state_seal& seal);

} // namespace troupe::protocol
