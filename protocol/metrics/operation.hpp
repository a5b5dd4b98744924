#pragma once

#include "protocol/message/call_outcome.hpp"
#include "protocol/message/message.hpp"
#include "protocol/metrics/thread_metrics.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a request asks for, as metrics and logs tell it apart: its method, and the tool or prompt that it names. Never
/// what clients choose freely, such as ids and URIs.
struct operation {
  /// One of MCP's, otherwise `other`; valid for ever.
  std::string_view method = {};
  /// Empty when it names none; valid as long as this, or what this was moved to, and `known_by` are there.
  std::string_view name = {};
  /// The name, when nobody else keeps it.
  std::unique_ptr<const std::string> own_name = {};
};

/// A name that `known_by` knows is not copied; null knows none.
operation operation_of(const message& request, thread_metrics* known_by = nullptr);

/// By whom an operation is carried out, and how he is spoken to: `pipe`, `tcp`, `unix`, or `inproc` within the process
/// (OpenTelemetry, `network.transport`).
struct operation_peer {
  std::string server;
  std::string_view transport;
  /// Where a remote one is; empty and zero for others.
  std::string address = {};
  std::uint16_t port = 0;
};

/// The same as labels; the transport's text stays.
struct peer_labels {
  std::string_view server, transport;
};

/// Records that an operation is over. `which` is `server_operation` or `client_operation`.
void record(thread_metrics& in, metric which, const operation& what, peer_labels by, call_outcome how,
            std::chrono::nanoseconds duration);

} // namespace troupe::protocol
