#pragma once

#include <string_view>

namespace troupe::deploy {

/// Whether a text that is to be TOML nests its values, or the parts of a dotted key, deeper than files of clients do.
/// What reads it goes down one call for each level.
bool is_too_deep_toml(std::string_view text);

/// Whether it has characters beyond ASCII outside strings and comments, where TOML 1.0.0 has none. The behaviour of the
/// library that reads it is undefined for some of them.
bool has_foreign_toml(std::string_view text);

} // namespace troupe::deploy
