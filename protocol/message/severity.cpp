#include "protocol/message/severity.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace troupe::protocol {

namespace {

constexpr std::array<std::string_view, 8> severity_names{"debug", "info",     "notice", "warning",
                                                         "error", "critical", "alert",  "emergency"};

} // namespace

std::optional<severity> read_severity(std::string_view name) {
  auto found = std::find(severity_names.begin(), severity_names.end(), name);
  if (found == severity_names.end())
    return std::nullopt;
  return static_cast<severity>(found - severity_names.begin());
}

std::string_view name_of(severity level) { return severity_names.at(static_cast<std::size_t>(level)); }

} // namespace troupe::protocol
