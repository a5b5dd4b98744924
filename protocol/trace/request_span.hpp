#pragma once

#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/trace/span.hpp"
#include "protocol/trace/trace_position.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a span begins with.
struct span_start {
  span::kind is = span::kind::server;
  /// Of the span; not zero.
  std::uint64_t id = 0;
  std::chrono::system_clock::time_point now = {};
};

/// Begins the span of a request that is sampled, and makes it what the request is a part of from now on.
span begin_span(message& request, const operation& what, const span_start& how);

/// Longer values of attributes are cut: clients and servers choose some of them.
inline constexpr std::size_t longest_span_value = 1024;

} // namespace troupe::protocol
