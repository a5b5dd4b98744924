#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A line for the log.
struct log_note {
  enum class weight { debug, info, warning, error };
  weight is = weight::info;
  std::string text;
  std::vector<std::pair<std::string, std::string>> facts = {};
  friend bool operator==(const log_note&, const log_note&) = default;
};

} // namespace troupe::protocol
