#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::protocol {

/// Whether a `Content-Type` is application/json, with or without parameters.
bool is_json_type(std::string_view content_type);

/// Whether one `Accept` line allows a media type (RFC 9110, 12.5.1): wildcards count, a quality of zero refuses.
bool accepts(std::string_view accept, std::string_view type, std::string_view subtype);

/// Table of the bytes of an HTTP token.
inline constexpr auto http_token_bytes = [] {
  std::array<bool, 256> result{};
  constexpr std::string_view all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
  for (unsigned char c : all)
    result[c] = true;
  return result;
}();

/// Whether the text is an HTTP token, as methods and field names are (RFC 9110, 5.6.2).
inline bool is_http_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return http_token_bytes[c]; });
}

} // namespace troupe::protocol
