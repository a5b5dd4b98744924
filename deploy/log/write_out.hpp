#pragma once

#include <string_view>

namespace troupe::deploy {

/// Writes bytes to a descriptor, and waits for a reader as long as it takes. Gives what could not be written, for
/// instance because the disk is full.
std::string_view write_out(int descriptor, std::string_view bytes);

} // namespace troupe::deploy
