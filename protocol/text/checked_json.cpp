#include "protocol/text/checked_json.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace troupe::protocol {

namespace {

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a byte may stand in a string as it is: no quote, backslash or control character, and ASCII.
constexpr bool is_unescaped(char c) { return c >= ' ' && c != '"' && c != '\\' && (c & '\x80') == 0; }

constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = is_unescaped(static_cast<char>(i));
  return result;
}

constexpr auto plain_bytes = make_plain();

/// Number of bytes checked together without a branch; compilers turn this into a few instructions.
constexpr std::ptrdiff_t block_size = 64;
/// Number of bytes checked one by one before any block: most strings are shorter.
constexpr std::ptrdiff_t near_size = 16;

bool is_plain_block(const char* bytes) {
  unsigned char strange = 0;
  for (std::ptrdiff_t i = 0; i < block_size; ++i) {
    auto c = static_cast<unsigned char>(bytes[i]);
    strange |= static_cast<unsigned char>((c < 0x20) | (c == '"') | (c == '\\') | (c & 0x80U));
  }
  return strange == 0;
}

bool is_plain_byte(char c) { return plain_bytes[static_cast<unsigned char>(c)]; }

/// Returns the end of the plain bytes.
const char* plain_end(const char* at, const char* end) {
  if (end - at >= near_size) {
    for (std::ptrdiff_t i = 0; i < near_size; ++i)
      if (!is_plain_byte(at[i]))
        return at + i;
    at += near_size;
  }
  while (end - at >= block_size && is_plain_block(at))
    at += block_size;
  while (at != end && is_plain_byte(*at))
    ++at;
  return at;
}

bool is_tail(char c) { return (c & '\xc0') == '\x80'; }

/// Returns the end of a UTF-8 character of several bytes (RFC 3629, section 4); null if invalid.
const char* multibyte_end(const char* at, const char* end) {
  auto byte = [&](int i) { return static_cast<unsigned char>(at[i]); };
  auto left = end - at;
  if (left < 2 || !is_tail(at[1]))
    return nullptr;
  if (byte(0) >= 0xc2 && byte(0) <= 0xdf)
    return at + 2;
  if (left < 3 || !is_tail(at[2]))
    return nullptr;
  if (byte(0) >= 0xe0 && byte(0) <= 0xef)
    return (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) >= 0xa0) ? nullptr : at + 3;
  if (left < 4 || !is_tail(at[3]) || byte(0) < 0xf0 || byte(0) > 0xf4)
    return nullptr;
  return (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90) ? nullptr : at + 4;
}

bool is_hexadecimal(char c) { return is_json_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Whether the digits are a code unit that is no half of a surrogate pair.
bool is_whole_unit(std::string_view digits) {
  auto is_half = (digits[0] == 'd' || digits[0] == 'D') && digits[1] > '7';
  return !is_half && std::all_of(digits.begin(), digits.end(), is_hexadecimal);
}

// -- ends of tokens and values: null when undecided ------------------------------

const char* white_end(const char* at, const char* end) {
  while (at != end && is_json_space(*at))
    ++at;
  return at;
}

const char* digits_end(const char* at, const char* end) {
  auto begin = at;
  while (at != end && is_json_digit(*at))
    ++at;
  return at == begin ? nullptr : at;
}

/// Returns the end of an exponent. Exponents of many digits may be too large for the parser: `json_error` decides.
const char* exponent_end(const char* at, const char* end) {
  if (at != end && (*at == '+' || *at == '-'))
    ++at;
  auto stop = digits_end(at, end);
  return stop && stop - at < 5 ? stop : nullptr;
}

const char* number_end(const char* at, const char* end) {
  if (at != end && *at == '-')
    ++at;
  at = at != end && *at == '0' ? at + 1 : digits_end(at, end);
  if (at && at != end && *at == '.')
    at = digits_end(at + 1, end);
  return at && at != end && (*at == 'e' || *at == 'E') ? exponent_end(at + 1, end) : at;
}

const char* word_end(const char* at, const char* end, std::string_view word) {
  return std::string_view{at, static_cast<std::size_t>(end - at)}.starts_with(word) ? at + word.size() : nullptr;
}

const char* escape_end(const char* at, const char* end) {
  switch (end - at < 2 ? '\0' : at[1]) {
  case '"':
  case '\\':
  case '/':
  case 'b':
  case 'f':
  case 'n':
  case 'r':
  case 't':
    return at + 2;
  case 'u':
    return end - at >= 6 && is_whole_unit({at + 2, 4}) ? at + 6 : nullptr;
  default:
    return nullptr;
  }
}

const char* string_end(const char* at, const char* end) {
  if (at == end || *at != '"')
    return nullptr;
  ++at;
  while (at) {
    at = plain_end(at, end);
    if (at == end)
      return nullptr;
    if (*at == '"')
      return at + 1;
    at = *at == '\\' ? escape_end(at, end) : multibyte_end(at, end);
  }
  return nullptr;
}

const char* value_end(const char* at, const char* end, std::size_t depth);

/// Returns the beginning of a member's value; `at` is the end of its name.
const char* value_begin(const char* at, const char* end) {
  if (!at)
    return nullptr;
  at = white_end(at, end);
  return at != end && *at == ':' ? white_end(at + 1, end) : nullptr;
}

const char* member_end(const char* at, const char* end, std::size_t depth) {
  auto value = value_begin(string_end(at, end), end);
  return value ? value_end(value, end, depth) : nullptr;
}

/// Returns the end of an object or array whose opening bracket is at `at`.
template <class ItemEnd>
const char* list_end(const char* at, const char* end, std::size_t depth, char close, ItemEnd item_end) {
  at = white_end(at + 1, end);
  if (at != end && *at == close)
    return at + 1;
  while ((at = item_end(at, end, depth))) {
    at = white_end(at, end);
    if (at == end || (*at != ',' && *at != close))
      return nullptr;
    if (*at == close)
      return at + 1;
    at = white_end(at + 1, end);
  }
  return nullptr;
}

/// Returns the end of a value; `depth` is the number of further nesting levels allowed.
const char* value_end(const char* at, const char* end, std::size_t depth) {
  switch (at == end ? '\0' : *at) {
  case '"':
    return string_end(at, end);
  case '{':
    return depth == 0 ? nullptr : list_end(at, end, depth - 1, '}', member_end);
  case '[':
    return depth == 0 ? nullptr : list_end(at, end, depth - 1, ']', value_end);
  case 't':
    return word_end(at, end, "true");
  case 'f':
    return word_end(at, end, "false");
  case 'n':
    return word_end(at, end, "null");
  default:
    return number_end(at, end);
  }
}

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

/// Whether only white space follows `stop`, the end of the text's value.
bool is_all(const char* stop, const char* end) { return stop && white_end(stop, end) == end; }

/// Returns the end of an object whose members are searched.
const char* searched_end(const char* at, const char* end, std::size_t depth, std::span<wanted_member> members,
                         bool* has_others = nullptr);

const char* found_end(const char* at, const char* end, std::size_t depth, wanted_member& member) {
  auto stop =
      *at == '{' && !member.members.empty() ? searched_end(at, end, depth, member.members) : value_end(at, end, depth);
  auto again = member.value.data() != nullptr;
  member.value = between(at, stop);
  return again ? nullptr : stop;
}

const char* searched_member_end(const char* at, const char* end, std::size_t depth, std::span<wanted_member> members,
                                bool* has_others) {
  auto stop = string_end(at, end);
  auto value = value_begin(stop, end);
  if (!value || value == end)
    return nullptr;
  auto name = between(at + 1, stop - 1);
  for (auto& one : members)
    if (one.name == name)
      return found_end(value, end, depth, one);
  if (has_others)
    *has_others = true;
  return name.find('\\') == name.npos ? value_end(value, end, depth) : nullptr;
}

const char* searched_end(const char* at, const char* end, std::size_t depth, std::span<wanted_member> members,
                         bool* has_others) {
  auto member_end = [members, has_others](const char* from, const char* to, std::size_t deeper) {
    return searched_member_end(from, to, deeper, members, has_others);
  };
  return depth == 0 ? nullptr : list_end(at, end, depth - 1, '}', member_end);
}

} // namespace

bool surely_valid(std::string_view text) {
  auto end = text.data() + text.size();
  return is_all(value_end(white_end(text.data(), end), end, max_json_depth), end);
}

bool find_checked(std::string_view text, std::span<wanted_member> members, bool* has_others) {
  auto end = text.data() + text.size();
  auto begin = white_end(text.data(), end);
  return begin != end && *begin == '{' && is_all(searched_end(begin, end, max_json_depth, members, has_others), end);
}

} // namespace troupe::protocol
