#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/log.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Writes to the host's log sink; does nothing when the host gave none.
class event_log {
public:
  explicit event_log(log_sink sink = {}) : sink_{std::move(sink)} {}

  void operator()(log_level level, std::string text,
                  std::vector<std::pair<std::string, std::string>> fields = {}) const {
    if (sink_)
      sink_({level, std::move(text), std::move(fields)});
  }

private:
  log_sink sink_;
};

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

/// Writes a log line that a state machine has decided on.
inline void write(const event_log& log, protocol::log_note& line) {
  log(level_of(line.is), std::move(line.text), std::move(line.facts));
}

} // namespace troupe::actors
