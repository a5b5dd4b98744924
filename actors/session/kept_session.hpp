#pragma once

#include "actors/messages.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

namespace troupe::actors {

/// By what a session survives its node: the store that has its record, and the tenure by which the record is this
/// node's. A session and its registry share it, on their threads.
struct kept_session {
  store_actor store;
  /// Whether the tenure has run ever since a term until now. Callable from any thread; empty when there is no tenure,
  /// and the record always this node's.
  std::function<bool(protocol::time_point now, std::uint64_t since)> holds_tenure = {};
  /// The term of the tenure by which the record is this node's; the registry changes it.
  std::atomic<std::uint64_t> term = 0;

  bool has_tenure() const { return holds_tenure != nullptr; }
  bool is_ours(protocol::time_point now) const { return !has_tenure() || holds_tenure(now, term); }
};

} // namespace troupe::actors
