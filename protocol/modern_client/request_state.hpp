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

/// What a `requestState` of the gateway says: which parked call a retry goes on with (2026-07-28, multi round-trip
/// requests). A key to find the call by; whose it is is in its seal.
struct request_state {
  /// The lease that has the call; also readable without the seal, by which the retry finds its node and actor.
  std::string lease;
  /// The call within the lease.
  std::uint64_t call = 0;
  /// Which round of the call the client has been asked: one retry for each.
  std::uint64_t round = 0;

  friend bool operator==(const request_state&, const request_state&) = default;
};

/// Gives what only we can make of a text and of whom it is for, with each of our keys: that of the first is for what is
/// new. Always as many letters and digits.
using state_seal = std::function<std::vector<std::string>(std::string_view text)>;

/// Whether that is the seal of the text, by any of our keys.
bool is_sealed(std::string_view text, std::string_view given, const state_seal& seal);

/// The text that a client gives back: visible ASCII without quotes and backslashes.
std::string sealed_request_state(const request_state& state, const state_seal& seal);

/// The `requestState` of a request as it stands in its text; nothing when it has none.
std::optional<std::string_view> request_state_of(const message& request);

/// The lease that a text names if it has the form of ours, whoever made it; otherwise empty. A server's own state has
/// another form, unless the server is a gateway like this one: only the seal tells these apart.
std::string lease_of_request_state(std::string_view text);

/// What is in it; nothing when it was changed, or was made by or for somebody else.
std::optional<request_state> read_request_state(std::string_view text, const state_seal& seal);

/// Whether a request brings such a state.
bool brings_own_state(const message& request, const state_seal& seal);

} // namespace troupe::protocol
