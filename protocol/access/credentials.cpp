#include "protocol/access/credentials.hpp"

#include "protocol/access/access_key.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

constexpr std::string_view scheme = "Bearer";

/// Characters that no token has, and those that separate or quote several credentials.
constexpr std::array<bool, 256> make_foreign_characters() {
  std::array<bool, 256> result{};
  result.fill(true);
  for (std::size_t c = '!'; c <= '~'; ++c)
    result[c] = c == ',' || c == '"';
  return result;
}

/// True if a text has the characters of RFC 6749, A.12. RFC 6750, 2.1 has fewer, but some issuers use others
/// (`7|secret`). Tokens are long and are checked with each request: the loop has no branch for each character.
bool is_token(std::string_view text) {
  static constexpr auto is_foreign = make_foreign_characters();
  unsigned foreign = 0;
  for (unsigned char c : text)
    foreign |= static_cast<unsigned>(is_foreign[c]);
  return !text.empty() && foreign == 0;
}

/// First field of a name, and the number of such fields.
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

bool looks_like_credentials(std::string_view text) {
  auto header = from_base64url(text.substr(0, text.find('.'))).value_or("");
  auto is_signed = std::ranges::count(text, '.') == 2 && header.starts_with('{') && !json_error(header);
  return is_signed || (text.starts_with(key_prefix) && !is_key_name(text));
}

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
