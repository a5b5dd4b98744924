#pragma once

#include "actors/runtime/event_log.hpp"
#include "protocol/cluster/note.hpp"

#include <utility>

namespace troupe::actors {

inline log_level level_of(protocol::note::weight weight) {
  switch (weight) {
  case protocol::note::weight::info:
    return log_level::info;
  case protocol::note::weight::warning:
    return log_level::warning;
  default:
    return log_level::error;
  }
}

/// Writes a line to the log that a machine has decided on.
inline void write(const event_log& log, protocol::note& line) {
  log(level_of(line.is), std::move(line.text), std::move(line.facts));
}

} // namespace troupe::actors
