#pragma once

#include "actors/troupe/access_record.hpp"

#include <string>

namespace troupe::deploy {

/// A record as a JSON object in one line. What is empty is left out, and so is `server_duration_ms` when no server was
/// asked.
std::string access_json(const access_record& record);

/// A record for people: its time, the word `access`, and the same names with their values, quoted where they need it.
std::string access_text(const access_record& record);

} // namespace troupe::deploy
