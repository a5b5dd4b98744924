#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace troupe::protocol {

/// The status of a server.
struct server_status {
  enum class phase {
    /// It does not run, and no user needs it.
    idle,
    /// It was started, and has not answered `initialize`.
    starting,
    ready,
    /// It was lost, and is started again after a pause.
    waiting,
    /// It was lost too often: the pause is a long one.
    resting
  };
  phase is = phase::idle;
  /// Starts that followed a loss.
  std::uint64_t restarts = 0;
  /// Of the last loss; empty when there was none.
  std::string why = {};
  /// Until the next start, from when this was told; zero unless it waits or rests.
  std::chrono::milliseconds pause{};

  friend bool operator==(const server_status&, const server_status&) = default;
};

} // namespace troupe::protocol
