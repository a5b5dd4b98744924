#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/log/log.hpp"

namespace troupe::deploy {

// The names of log levels and formats, in flags and in files.

inline const choices<log_level> log_levels = {{"debug", log_level::debug},
                                              {"info", log_level::info},
                                              {"warning", log_level::warning},
                                              {"error", log_level::error}};
inline const choices<log_format> log_formats = {{"text", log_format::text}, {"json", log_format::json}};

} // namespace troupe::deploy
