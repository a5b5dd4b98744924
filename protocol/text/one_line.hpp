#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a peer said, fit for a log or an error's text: at most `longest` bytes of it, without control characters, and
/// `?` for what is no UTF-8.
std::string one_line(std::string_view words, std::size_t longest = 200);

} // namespace troupe::protocol
