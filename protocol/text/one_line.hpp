#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A peer's text made safe for a log or an error's text: at most `longest` bytes, without control characters, and with
/// `?` for what is no UTF-8.
std::string one_line(std::string_view words, std::size_t longest = 200);

} // namespace troupe::protocol
