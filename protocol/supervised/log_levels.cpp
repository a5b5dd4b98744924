#include "protocol/supervised/log_levels.hpp"

#include <algorithm>

namespace troupe::protocol {

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
