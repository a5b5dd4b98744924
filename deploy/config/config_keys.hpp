#pragma once

#include "deploy/config/config_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// That one of these names that `name` is most likely a slip of; empty when none is near.
std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names);

/// Warns that nothing reads the member, and tells of the key that may have been meant.
void warn_of_unknown(const config_member& member, const std::vector<std::string_view>& known);

} // namespace troupe::deploy
