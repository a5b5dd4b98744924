#pragma once

#include "actors/runtime/unit.hpp"
#include "net/guarded.hpp"
#include "protocol/access/presented_tokens.hpp"
#include "protocol/access/principal.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::actors {

/// Tokens that callers have shown lately, for all units. Kept only if a server takes them in exchange for its own: in
/// memory, until they expire, up to an hour. Callable from any thread.
class caller_tokens {
public:
  /// Starts to keep tokens: a server takes them in exchange.
  void want() { are_wanted_ = true; }
  bool is_enabled() const { return are_wanted_; }

  /// Stores the token that a caller authenticated with. Ignores keys and certificates.
  void put(const protocol::caller& who, std::string_view token, protocol::time_point now);
  /// Returns a token of the caller with the scopes of its current one.
  protocol::presented_token find(const protocol::caller& who, protocol::time_point now);
  /// Returns the caller's latest token, whatever its scopes.
  protocol::presented_token last(const protocol::caller& who, protocol::time_point now);

private:
  std::atomic<bool> are_wanted_ = false;
  net::guarded<protocol::presented_tokens> tokens_;
};

// For requests that cross to another node or process. `at` gives the time, and outlives both functions.

/// Returns a function that stores a token that a caller has shown elsewhere.
inline auto token_keeper_of(std::shared_ptr<caller_tokens> callers, unit& at) {
  return [callers = std::move(callers), &at](const protocol::caller& who, const std::string& token) {
    callers->put(who, token, at.now());
  };
}

/// Returns a function that finds a token shown here; its result is empty when no server takes tokens in exchange.
inline auto token_finder_of(std::shared_ptr<caller_tokens> callers, unit& at) {
  return [callers = std::move(callers), &at](const protocol::caller& who) {
    return callers->is_enabled() ? callers->find(who, at.now()).text : std::string{};
  };
}

} // namespace troupe::actors
