#pragma once

#include "actors/runtime/event_log.hpp"
#include "protocol/log.hpp"

#include <utility>

namespace troupe::actors {

inline log_level level_of(protocol::log_note::weight weight) {
  switch (weight) {
  case protocol::log_note::weight::debug:
    return log_level::debug;
  case protocol::log_note::weight::info:
    return log_level::info;
  case protocol::log_note::weight::warning:
    return log_level::warning;
  default:
    return log_level::error;
  }
}

/// Writes a line to the log that a machine has decided on.
inline void write(const event_log& log, protocol::log_note& line) {
  log(level_of(line.is), std::move(line.text), std::move(line.facts));
}

} // namespace troupe::actors
