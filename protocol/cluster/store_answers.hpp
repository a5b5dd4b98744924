#pragma once

#include "protocol/delivery/saved_event.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::protocol {

/// The connections to a store: tenures, writes and searches have one each, so that none waits for the others.
enum class store_connection { tenure, writes, searches };

/// The result of a command. `foreign`: another node owns the session. `lapsed`: this node's tenure had run out in the
/// store, which for a renewal means that it runs again. `emptied`: it runs, in a store that knew nothing of this node.
/// `unknown`: the store has no such session. `untold`: nor has it, but it has lost everything a while ago, and the
/// owner may be about to say so. `busy`: the tenure of another owner runs. `failed`: the store could not. `lost`:
/// nobody knows whether it was carried out.
enum class store_verdict { done, foreign, lapsed, emptied, unknown, untold, busy, failed, lost };

struct store_answer {
  store_verdict is = store_verdict::failed;
  /// Why it failed, in one line.
  std::string why = {};
  /// Of an event that was kept, or of a session that was claimed: the size of all events that are kept of it.
  std::size_t bytes = 0;
};

/// What a search for a session found.
struct search_result {
  std::string session;
  store_answer answer = {};
  /// Of a session that is `busy`.
  std::string owner = {};
  /// Of a session that is this node's now (`done`).
  std::string record = {};
  std::vector<saved_event> events = {};
};

} // namespace troupe::protocol
