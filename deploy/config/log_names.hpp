#pragma once

#include "actors/troupe/log_level_names.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/log/log.hpp"

namespace troupe::deploy {

// The names of log levels and formats, in flags and in files.

inline const choices<log_level> log_levels{log_level_names.begin(), log_level_names.end()};
inline const choices<log_format> log_formats = {{"text", log_format::text}, {"json", log_format::json}};

} // namespace troupe::deploy
