#include "protocol/access/credentials.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::string_view scheme = "Bearer";

/// RFC 6750, 2.1: `b64token`.
bool is_token(std::string_view text) {
  auto body = text.substr(0, std::min(text.find('='), text.size()));
  auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view{"-._~+/"}.find(c) != std::string_view::npos;
  };
  auto rest = text.substr(body.size());
  return !body.empty() && std::ranges::all_of(body, is_plain) && rest.find_first_not_of('=') == rest.npos;
}

/// The only field of a name; `count` tells how many there are.
struct named_field {
  std::size_t count = 0;
  std::string_view value;
};

named_field find(const http_request& request, std::string_view name) {
  named_field result;
  for (auto& field : request.fields)
    if (same_word(field.name, name) && result.count++ == 0)
      result.value = without_blanks(field.value);
  return result;
}

credentials read_authorization(std::string_view value) {
  auto end = std::min(value.find(' '), value.size());
  if (!same_word(value.substr(0, end), scheme))
    return no_credentials{};
  auto secret = without_blanks(value.substr(end));
  if (!is_token(secret))
    return bad_credentials{"Authorization: Bearer is followed by no token"};
  return bearer{secret};
}

} // namespace

credentials read_credentials(const http_request& request) {
  auto authorization = find(request, "Authorization");
  auto key = find(request, "X-API-Key");
  if (authorization.count > 1 || key.count > 1)
    return bad_credentials{"Authorization and X-API-Key may come once"};
  auto read = authorization.count == 1 ? read_authorization(authorization.value) : credentials{no_credentials{}};
  if (key.count == 0)
    return read;
  if (!std::holds_alternative<no_credentials>(read))
    return bad_credentials{"credentials are sent in two ways"};
  if (!is_token(key.value))
    return bad_credentials{"X-API-Key is no key"};
  return bearer{key.value};
}

} // namespace troupe::protocol
