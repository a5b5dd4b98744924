#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace troupe::protocol {

/// The status of a server.
struct server_status {
  enum class phase {
    /// Not running; no user needs it.
    idle,
    /// Started, but `initialize` is not answered yet.
    starting,
    ready,
    /// Exited or disconnected; starts again after a pause.
    waiting,
    /// Exited or disconnected too often; the pause is a long one.
    resting
  };
  phase is = phase::idle;
  /// Number of starts that followed a loss.
  std::uint64_t restarts = 0;
  /// Reason of the last loss; empty when there was none.
  std::string why = {};
  /// Time until the next start, counted from this report; zero unless waiting or resting.
  std::chrono::milliseconds pause{};

  friend bool operator==(const server_status&, const server_status&) = default;
};

} // namespace troupe::protocol
