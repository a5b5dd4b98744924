#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// A duration as people read it, rounded down: `85 ms`, `1.2 s`, `42 s`, `3 min`, `2 h`, `5 d`.
std::string readable_duration(std::chrono::milliseconds time);

/// A number per second with as many digits as count: `0.04`, `3.2`, `128`.
std::string readable_rate(double per_second);

/// The columns that a text takes on a terminal. Only for valid UTF-8 without control characters.
std::size_t columns_of(std::string_view text);

/// The text, or as much of it as takes so many columns, with `…` at the end.
std::string cut_to(std::string_view text, std::size_t columns);

/// A valid JSON text on one line, of the same meaning, that no terminal takes for commands, and that nobody reads in
/// another order than it has: JSON lets stand in a string what `escaped` does not leave as it was.
std::string safe_json(std::string_view json);

} // namespace troupe::deploy
