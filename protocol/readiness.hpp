#pragma once

#include "protocol/rejection.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Reason why a gateway is not ready for new sessions. Shown to all callers: none of it is secret.
struct unready {
  /// Kind of the subject: `gateway`, `cluster` or `server`.
  std::string what;
  /// Name of the server; empty for other subjects.
  std::string name = {};
  std::string why;

  friend bool operator==(const unready&, const unready&) = default;
};

/// Reason: the gateway is draining.
unready gateway_drains();
/// Reason: a node of a cluster does not know the others. It has lost them, or is still looking for them.
unready nodes_missing(bool are_lost);

/// Builds the 503 answer to a readiness probe: a JSON-RPC error about the first reason, and in the same object all
/// reasons. `reasons` must not be empty.
rejection not_ready(const std::vector<unready>& reasons);
/// Formats reasons as a JSON array.
std::string unready_text(const std::vector<unready>& reasons);
/// Body of the answer to a readiness probe while the gateway is ready.
inline constexpr std::string_view ready_text = R"({"status":"ok"})";

} // namespace troupe::protocol
