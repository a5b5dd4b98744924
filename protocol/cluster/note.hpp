#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A line for the log.
struct note {
  enum class weight { info, warning, error };
  weight is = weight::info;
  std::string text;
  std::vector<std::pair<std::string, std::string>> facts;
  friend bool operator==(const note&, const note&) = default;
};

} // namespace troupe::protocol
