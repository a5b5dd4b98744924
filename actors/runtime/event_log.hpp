#pragma once

#include "actors/troupe/gateway.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Writes to the log that the host gave; does nothing when it gave none.
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

} // namespace troupe::actors
