#pragma once

#include "protocol/text/sse.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Formats an event of a followed session as a line for people; empty for events without a message.
std::string followed_line(const protocol::event& event);

/// Returns a text of the gateway's, safe to print: `escaped`, but with quotes and backslashes as they are.
std::string terminal_text(std::string_view text);

/// Formats a duration for people, rounded down: `85 ms`, `1.2 s`, `42 s`, `3 min`, `2 h`, `5 d`.
std::string readable_duration(std::chrono::milliseconds time);

/// Formats a number of bytes: `512 B`, `3.4 MiB`, `128 GiB`.
std::string readable_bytes(std::uint64_t bytes);

/// Formats a number per second with its significant digits: `0.04`, `3.2`, `128`.
std::string readable_rate(double per_second);

/// Returns the number of terminal columns that a text takes. Only for valid UTF-8 without control characters.
std::size_t columns_of(std::string_view text);

/// Returns the text, cut to that number of columns, with `…` at the end if something was cut.
std::string cut_to(std::string_view text, std::size_t columns);

/// Returns a JSON text of the same meaning on one line, safe to print: without terminal commands and bidirectional
/// controls. JSON allows characters in strings that `escaped` replaces.
std::string safe_json(std::string_view json);

} // namespace troupe::deploy
