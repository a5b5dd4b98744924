#pragma once

#include "protocol/text/json.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// The characters of the string under a path of member names; empty when there is no string.
inline std::string string_member(std::string_view object, std::initializer_list<std::string_view> path) {
  auto token = find_member(object, path);
  return token ? string_value(*token).value_or("") : "";
}

} // namespace troupe::protocol
