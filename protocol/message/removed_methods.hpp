#pragma once

#include <string_view>

namespace troupe::protocol {

/// A request of the session era that 2026-07-28 has no more.
struct removed_method {
  std::string_view name;
  /// What does its work now.
  std::string_view instead;
};

/// The method when it was removed, otherwise null (2026-07-28, changelog).
const removed_method* find_removed_method(std::string_view name);

} // namespace troupe::protocol
