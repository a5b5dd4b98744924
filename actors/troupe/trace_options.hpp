#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Which requests are traced, and where their spans go: to a collector of OpenTelemetry, over OTLP/HTTP with JSON.
/// Times and counts are above zero.
struct trace_options {
  /// The whole URL of the collector, such as `http://127.0.0.1:4318/v1/traces`.
  std::string endpoint = {};
  /// More header fields of requests to it, such as credentials.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Certificates (PEM) that the collector's may be signed by, besides the system's.
  std::string ca_file = {};
  /// The share of the traces that begin here whose requests have spans: 0 is for none, 1 for all.
  double ratio = 1;
  /// A request of a trace that a client has begun is sampled when the client says so; otherwise by the ratio, too.
  bool follow_parent = true;
  /// Attributes of the resource that all spans are of; `service.name` is `troupe` unless it is among them.
  std::vector<std::pair<std::string, std::string>> resource = {};
  /// Spans that may wait to be sent; further ones are dropped. At most 1,000,000.
  std::size_t queue = 2048;
  /// Most spans of a request, at most `queue`: they are sent once there are as many, or after `delay`.
  std::size_t batch = 512;
  std::chrono::milliseconds delay = std::chrono::seconds{5};
  /// How long the collector may take to answer a request.
  std::chrono::milliseconds timeout = std::chrono::seconds{10};
  /// For how long what has failed is tried again.
  std::chrono::milliseconds patience = std::chrono::seconds{30};

  friend bool operator==(const trace_options&, const trace_options&) = default;
};

} // namespace troupe
