#pragma once

#include "protocol/message/call_outcome.hpp"
#include "protocol/trace/trace_position.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Decides of which requests there are spans (OpenTelemetry, "Sampling"). All who decide by the same share of the same
/// traces decide alike.
class sampler {
public:
  /// Of traces that begin here that share is taken: none when it is 0, all when it is 1. What others have begun is
  /// taken as they say when `follows` is set, and otherwise by the share, too.
  explicit sampler(double share = 1, bool follows = true);

  bool takes_new(std::uint64_t low) const { return (low >> 1) < bound_; }
  bool takes(const trace_position& parent) const { return follows_ ? parent.is_sampled : takes_new(parent.low); }

private:
  /// By the lower half of the trace's id, without its last bit.
  std::uint64_t bound_;
  bool follows_;
};

/// What a span says of what it is about. The name is a text that stays.
struct span_attribute {
  std::string_view name;
  std::variant<std::string, std::int64_t> value;
  friend bool operator==(const span_attribute&, const span_attribute&) = default;
};

/// A request that was answered, as a part of a trace (OpenTelemetry's semantic conventions for MCP).
struct span {
  /// As OTLP has them. `server` is the request of a client, `client` one to a server.
  enum class kind : std::uint8_t { server = 2, client = 3 };

  kind is = kind::server;
  /// Of itself.
  trace_position at;
  /// The span that it is a part of; zero for the first one of a trace.
  std::uint64_t parent = 0;
  /// That one is another process'.
  bool is_parent_remote = false;
  std::string name = {};
  std::chrono::system_clock::time_point began = {};
  std::chrono::nanoseconds took = {};
  std::vector<span_attribute> attributes = {};
  /// As `call_outcome::label`; empty when it succeeded.
  std::string error = {};

  void add(std::string_view what, std::string value) {
    if (!value.empty())
      attributes.push_back({what, std::move(value)});
  }
  void end(call_outcome how, std::chrono::nanoseconds duration);
};

} // namespace troupe::protocol
