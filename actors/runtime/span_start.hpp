#pragma once

#include "net/crypto.hpp"
#include "protocol/trace/request_span.hpp"

#include <chrono>

namespace troupe::actors {

/// What a span begins with that begins now.
inline protocol::span_start span_start_of(protocol::span::kind is) {
  return {is, net::quick_random_64() | 1, std::chrono::system_clock::now()};
}

} // namespace troupe::actors
