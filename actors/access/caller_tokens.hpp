#pragma once

#include "actors/runtime/unit.hpp"
#include "net/guarded.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/access/shown_tokens.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::actors {

/// The tokens that callers have shown lately, for all units, if a server takes them in exchange for its own: in memory
/// only, until they expire, and at most an hour. Callable from any thread.
class caller_tokens {
public:
  /// A server takes them from now on.
  void want() { are_wanted_ = true; }
  bool are_wanted() const { return are_wanted_; }

  /// The caller has come in with it. Keys and certificates are no tokens.
  void put(const protocol::caller& who, std::string_view token, protocol::time_point now);
  /// One that allows what the caller's own does.
  protocol::shown_token find(const protocol::caller& who, protocol::time_point now);
  /// The one that the caller has shown last, whatever it allows.
  protocol::shown_token last(const protocol::caller& who, protocol::time_point now);

private:
  std::atomic<bool> are_wanted_ = false;
  net::guarded<protocol::shown_tokens> tokens_;
};

// For requests that cross to another node or process. `at` tells the time, and outlives both functions.

/// Keeps what a caller has shown elsewhere.
inline auto token_keeper_of(std::shared_ptr<caller_tokens> callers, unit& at) {
  return [callers = std::move(callers), &at](const protocol::caller& who, const std::string& token) {
    callers->put(who, token, at.now());
  };
}

/// Gives what a caller has shown here, if a server takes it in exchange; otherwise nothing.
inline auto token_finder_of(std::shared_ptr<caller_tokens> callers, unit& at) {
  return [callers = std::move(callers), &at](const protocol::caller& who) {
    return callers->are_wanted() ? callers->find(who, at.now()).text : std::string{};
  };
}

} // namespace troupe::actors
