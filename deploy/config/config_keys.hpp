#pragma once

#include "deploy/config/config_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// The name that is most similar to a mistyped `name`; empty when none is similar.
std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names);

/// Warns that a key is not known, and suggests the known key that may have been meant.
void warn_of_unknown(const config_member& member, const std::vector<std::string_view>& known);

} // namespace troupe::deploy
