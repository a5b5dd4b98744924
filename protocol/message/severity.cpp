#include "protocol/message/severity.hpp"

#include <algorithm>
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

void log_levels::set(user_id user, severity level) {
  forget(user);
  levels_.emplace(user, level);
  ++counts_.at(static_cast<std::size_t>(level));
}

void log_levels::forget(user_id user) {
  if (auto node = levels_.extract(user))
    --counts_.at(static_cast<std::size_t>(node.mapped()));
}

/// Empty also when no user has a level any more: the server may keep the last one.
std::optional<severity> log_levels::level_change() {
  auto lowest = std::find_if(counts_.begin(), counts_.end(), [](auto count) { return count != 0; });
  if (lowest == counts_.end())
    return std::nullopt;
  auto level = static_cast<severity>(lowest - counts_.begin());
  if (told_ == level)
    return std::nullopt;
  return told_ = level;
}

bool log_levels::passes(user_id user, severity level) const {
  if (levels_.empty())
    return true;
  auto own = levels_.find(user);
  return level >= (own == levels_.end() ? severity::info : own->second);
}

} // namespace troupe::protocol
