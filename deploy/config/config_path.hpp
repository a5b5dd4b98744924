#pragma once

#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <optional>
#include <string>

namespace troupe::deploy {

/// The path that a value names, with its variables replaced, from the directory of the file; nothing, and a problem of
/// the value, when it names none.
std::optional<std::string> path_of(const config_value& value, config_variables& variables);

/// The same of a file that can be read.
std::optional<std::string> readable_path(const config_value& value, config_variables& variables);

/// Says of a value that names a file why that cannot be read, from `errno`.
void cannot_be_read(const config_value& value);

} // namespace troupe::deploy
