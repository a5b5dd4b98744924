#pragma once

#include "gateway.hpp"

#include <array>
#include <utility>

namespace troupe {

/// Names of the log levels, in files, in flags and for operators.
inline constexpr std::array log_level_names = {
    std::pair{"debug", log_level::debug}, std::pair{"info", log_level::info}, std::pair{"warning", log_level::warning},
    std::pair{"error", log_level::error}, std::pair{"none", log_level::none}};

} // namespace troupe
