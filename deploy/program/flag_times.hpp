#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace troupe::deploy {

/// A time as flags have it: with a unit, as in the file (`500ms`, `30s`, `1.5m`, `1h`), or a number of seconds. Nothing
/// when it is no such time, or zero.
std::optional<std::chrono::milliseconds> flag_time(const std::string& text);

CLI::Validator must_be_time();

/// `TIME` in the longest unit that needs no fraction: `30m`.
std::string time_text(std::chrono::milliseconds time);

} // namespace troupe::deploy
