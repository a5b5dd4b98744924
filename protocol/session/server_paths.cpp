#include "protocol/session/server_paths.hpp"

#include <algorithm>

namespace troupe::protocol {

std::optional<std::size_t> server_paths::find_one(std::string_view path, bool for_lease) const {
  if (path.empty()) {
    auto is_alone = all_.size() == 1 && (!merges_one_ || (for_lease && all_.front().is_plain_alone));
    return is_alone ? std::optional<std::size_t>{0} : std::nullopt;
  }
  auto found = std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.name == path; });
  return found == all_.end() ? std::nullopt : std::optional{static_cast<std::size_t>(found - all_.begin())};
}

bool server_paths::restore(std::string_view path) const {
  if (auto one = find_one(path))
    return all_[*one].is_restored;
  return !all_.empty() && std::all_of(all_.begin(), all_.end(), [](auto& one) { return one.is_restored; });
}

} // namespace troupe::protocol
