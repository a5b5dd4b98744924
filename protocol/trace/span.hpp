#pragma once

#include "protocol/message/call_outcome.hpp"
#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/trace/trace_position.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Decides which requests get spans (OpenTelemetry, "Sampling"). All samplers with the same share decide alike on the
/// same trace.
class sampler {
public:
  /// `share`: part of the traces begun here that is sampled, none for 0, all for 1. `follows`: traces begun elsewhere
  /// keep their own decision; otherwise the share applies to them, too.
  explicit sampler(double share = 1, bool follows = true);

  bool samples_new(std::uint64_t low) const { return (low >> 1) < bound_; }
  bool samples(const trace_position& parent) const { return follows_ ? parent.is_sampled : samples_new(parent.low); }

private:
  /// Bound of the lower half of a trace's id without its last bit.
  std::uint64_t bound_;
  bool follows_;
};

/// Attribute of a span. The name is a static text.
struct span_attribute {
  std::string_view name;
  std::variant<std::string, std::int64_t> value;
  friend bool operator==(const span_attribute&, const span_attribute&) = default;
};

/// Answered request, as a part of a trace (OpenTelemetry's semantic conventions for MCP).
struct span {
  /// Values of OTLP. `server`: a client's request; `client`: a request to a server.
  enum class kind : std::uint8_t { server = 2, client = 3 };

  kind is = kind::server;
  /// Position of this span.
  trace_position at;
  /// Parent span; zero for the first span of a trace.
  std::uint64_t parent = 0;
  /// Whether the parent span is in another process.
  bool is_parent_remote = false;
  std::string name = {};
  std::chrono::system_clock::time_point began = {};
  std::chrono::nanoseconds took = {};
  std::vector<span_attribute> attributes = {};
  /// Error as in `call_outcome::label`; empty for success.
  std::string error = {};

  void add(std::string_view what, std::string value) {
    if (!value.empty())
      attributes.push_back({what, std::move(value)});
  }
  void end(call_outcome how, std::chrono::nanoseconds duration);
};

/// Initial data of a span.
struct span_start {
  span::kind is = span::kind::server;
  /// Id of the span; not zero.
  std::uint64_t id = 0;
  std::chrono::system_clock::time_point now = {};
};

/// Begins the span of a sampled request, and makes it the parent of the request's further spans.
span begin_span(message& request, const operation& what, const span_start& how);

/// Longest attribute value, in bytes. Longer ones are cut: clients and servers choose some of them.
inline constexpr std::size_t longest_span_value = 1024;

} // namespace troupe::protocol
