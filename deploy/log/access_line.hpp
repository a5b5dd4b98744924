#pragma once

#include "actors/troupe/access_record.hpp"

#include <cstddef>
#include <string>

namespace troupe::deploy {

/// Of one text, in bytes: a longer one is cut, and ends in `...`.
inline constexpr std::size_t longest_access_value = 1024;

/// Appends a record as a JSON object in one line. What is empty is left out, and so is `server_duration_ms` when no
/// server was asked.
void append_access_json(std::string& to, const access_record& record);

/// Appends a record for people: its time, the word `access`, and the same names with their values, quoted where they
/// need it.
void append_access_text(std::string& to, const access_record& record);

} // namespace troupe::deploy
