#pragma once

#include <algorithm>
#include <string_view>

namespace troupe::protocol {

/// Whether it is a token of HTTP, as methods and the names of fields are (RFC 9110, 5.6.2).
inline bool is_http_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  auto is_good = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_good);
}

} // namespace troupe::protocol
