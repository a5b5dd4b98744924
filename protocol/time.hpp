#pragma once

#include <chrono>

namespace troupe::protocol {

/// When something happened. Time is a fact that machines are told, never one that they look up.
using time_point = std::chrono::steady_clock::time_point;

} // namespace troupe::protocol
