#include "protocol/message/severity.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace troupe::protocol {

namespace {

constexpr std::array<std::string_view, 8> names{"debug", "info",     "notice", "warning",
                                                "error", "critical", "alert",  "emergency"};

} // namespace

std::optional<severity> read_severity(std::string_view name) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<severity>(found - names.begin());
}

std::string_view name_of(severity level) { return names.at(static_cast<std::size_t>(level)); }

} // namespace troupe::protocol
