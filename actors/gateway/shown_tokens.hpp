#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"

#include <memory>
#include <string>
#include <utility>

namespace troupe::actors {

// The tokens that callers have shown, for those who pass requests on to another node or process, and take them in. `at`
// tells the time, and outlives both functions.

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
