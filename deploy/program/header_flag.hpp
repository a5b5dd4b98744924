#pragma once

#include "deploy/config/config_variables.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Header fields that were typed as `NAME: VALUE` for a remote server, `${VAR}` in a value replaced as in a file.
/// Throws `CLI::ValidationError`, which has no value, when one cannot be sent or two have the same name.
std::vector<std::pair<std::string, std::string>> typed_headers(const std::vector<std::string>& typed,
                                                               config_variables::callers named);

} // namespace troupe::deploy
