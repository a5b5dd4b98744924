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

/// Operation of a request, as metrics and logs distinguish it: the method, and the tool or prompt that it names. Never
/// contains values that clients choose freely, such as ids and URIs.
struct operation {
  /// Method of MCP, otherwise `other`; a static text.
  std::string_view method = {};
  /// Name; empty if there is none. Valid as long as this object, or the one it was moved to, and `known_by`.
  std::string_view name = {};
  /// Owner of the name if `known_by` is not.
  std::unique_ptr<const std::string> own_name = {};
};

/// Returns the operation of a request. Does not copy names that `known_by` knows; null knows none.
operation operation_of(const message& request, thread_metrics* known_by = nullptr);

/// Server that carries out an operation, and its transport: `pipe`, `tcp`, `unix`, or `inproc` within the process
/// (OpenTelemetry, `network.transport`).
struct operation_peer {
  std::string server;
  std::string_view transport;
  /// Address and port of a remote server; empty and zero for others.
  std::string address = {};
  std::uint16_t port = 0;
};

/// Server and transport as labels; the transport is a static text.
struct peer_labels {
  std::string_view server, transport;
};

/// Records the end of an operation. `which` is `server_operation` or `client_operation`.
void record(thread_metrics& in, metric which, const operation& what, peer_labels by, call_outcome how,
            std::chrono::nanoseconds duration);

} // namespace troupe::protocol
