#pragma once

#include "gateway.hpp"

#include <array>
#include <utility>

namespace troupe {

/// What levels of the log are called, in files, in flags and by operators.
inline constexpr std::array log_level_names = {
    std::pair{"debug", log_level::debug}, std::pair{"info", log_level::info}, std::pair{"warning", log_level::warning},
    std::pair{"error", log_level::error}, std::pair{"none", log_level::none}};

} // namespace troupe
