#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Export of traces to a collector of OpenTelemetry, over OTLP/HTTP with JSON, and the sampling of requests. Times and
/// counts must be above zero.
struct trace_options {
  /// Full URL of the collector, such as `http://127.0.0.1:4318/v1/traces`.
  std::string endpoint = {};
  /// Additional header fields of requests to the collector, such as credentials.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// File of certificates (PEM) that may sign the collector's certificate, besides the system's.
  std::string ca_file = {};
  /// Share of the traces begun here that are sampled: 0 for none, 1 for all.
  double ratio = 1;
  /// If true, the client that began a trace decides whether its requests are sampled; if false, the ratio does.
  bool follow_parent = true;
  /// Attributes of the resource of all spans; `service.name` is `troupe` unless given.
  std::vector<std::pair<std::string, std::string>> resource = {};
  /// Spans that may wait to be sent, up to 1,000,000; further spans are dropped.
  std::size_t queue = 2048;
  /// Spans in one export request, up to `queue`. A request is sent when it has that many, or after `delay`.
  std::size_t batch = 512;
  std::chrono::milliseconds delay = std::chrono::seconds{5};
  /// Time that the collector may take to answer a request.
  std::chrono::milliseconds timeout = std::chrono::seconds{10};
  /// Time for which a failed request is repeated.
  std::chrono::milliseconds patience = std::chrono::seconds{30};

  friend bool operator==(const trace_options&, const trace_options&) = default;
};

} // namespace troupe
