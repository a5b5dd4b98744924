#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The text from the value under a path of member names on: what `find_member` finds, without a look for its end. For
/// readers of objects and arrays, which stop there by themselves, and for what only depends on how the value begins.
std::optional<std::string_view> member_start(std::string_view object, std::initializer_list<std::string_view> path);

} // namespace troupe::protocol
