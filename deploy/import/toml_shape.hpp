#pragma once

#include <string_view>

namespace troupe::deploy {

/// Whether a text that is to be TOML nests its values, or the parts of a dotted key, deeper than files of clients do.
/// What reads it goes down one call for each level.
bool is_too_deep_toml(std::string_view text);

} // namespace troupe::deploy
