#pragma once

#include "protocol/rejection.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// One thing that keeps a gateway from being ready for new sessions. Whoever asks is told: nothing of it is secret.
struct unready {
  /// `gateway`, `cluster` or `server`.
  std::string what;
  /// Of a server.
  std::string name = {};
  std::string why;

  friend bool operator==(const unready&, const unready&) = default;
};

/// The gateway drains.
unready gateway_drains();
/// A node of a cluster does not know the others, since it looks for them yet or has lost them.
unready nodes_missing(bool are_lost);

/// 503 for who asks whether the gateway is ready: a JSON-RPC error that tells of the first reason, and in the same
/// object all of them. There is at least one.
rejection not_ready(const std::vector<unready>& reasons);
/// What is answered while nothing keeps it from being ready.
inline constexpr std::string_view ready_text = R"({"status":"ok"})";

} // namespace troupe::protocol
