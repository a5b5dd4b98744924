#pragma once

#include "actors/troupe/access_record.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Appends a record and its texts to others, so that it can be read after they are gone. Far quicker than to write its
/// line. Of longer texts there is what a line has of them, see `longest_access_value`.
void append_packed(std::string& to, const access_record& record);

/// How many bytes that appends.
std::size_t packed_size(const access_record& record);

/// Reads the first of packed records, and takes it off them; there is one. Its texts stand where it did.
access_record take_packed(std::string_view& from);

} // namespace troupe::deploy
