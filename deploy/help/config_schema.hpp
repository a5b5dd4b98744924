#pragma once

#include <string_view>

namespace troupe::deploy {

/// The text of `config.schema.json`, which is part of the program.
std::string_view config_schema();

} // namespace troupe::deploy
