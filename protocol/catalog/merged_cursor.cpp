#include "protocol/catalog/merged_cursor.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace troupe::protocol {

namespace {

/// Precedes the servers' cursors.
constexpr std::string_view public_mark = R"("public")";

constexpr std::size_t encoded_size(std::size_t bytes) { return (bytes * 4 + 2) / 3; }

/// What follows from the token is left out.
std::string part_text(const server_cursor& part) {
  auto result = "[" + std::to_string(part.server) + "," + part.token;
  if (part.pages > 1)
    result += "," + std::to_string(part.pages) + "," + std::to_string(part.seen);
  return result += "]";
}

std::optional<server_cursor> read_part(std::string_view text) {
  if (text.front() != '[')
    return std::nullopt;
  array_reader parts{text};
  auto server = parts.next() ? read_number(parts.value()) : std::nullopt;
  if (!server || !parts.next() || parts.value().front() != '"')
    return std::nullopt;
  server_cursor result{*server, std::string{parts.value()}};
  if (!parts.next())
    return result;
  const auto pages = read_number(parts.value());
  const auto seen = parts.next() ? read_number(parts.value()) : std::nullopt;
  if (!pages || !seen || parts.next())
    return std::nullopt;
  result.pages = *pages;
  result.seen = *seen;
  return result;
}

std::size_t bytes_of_seal(const cursor_seal& seal) { return seal ? seal({}).front().size() : 0; }

/// The text behind its seal; nothing when that is another's.
std::optional<std::string> unsealed(std::string sealed, const cursor_seal& seal) {
  const auto size = bytes_of_seal(seal);
  if (sealed.size() < size)
    return std::nullopt;
  auto text = sealed.substr(size);
  sealed.resize(size);
  if (seal && std::ranges::none_of(seal(text), [&](auto& one) { return same_secret(one, sealed); }))
    return std::nullopt;
  return text;
}

/// More servers than are ever merged: each part is compared with all others.
constexpr std::size_t most_parts = 1000;

bool has(const std::vector<server_cursor>& all, std::uint64_t server) {
  return std::any_of(all.begin(), all.end(), [&](auto& one) { return one.server == server; });
}

} // namespace

server_cursor server_cursor::followed_by(std::string_view next) const {
  server_cursor result{server, std::string{next}, pages + 1};
  if (!std::has_single_bit(result.pages))
    result.seen = seen;
  return result;
}

std::string merged_cursor(const merged_place& place, const cursor_seal& seal) {
  auto text = place.is_public ? "[" + std::string{public_mark} : "[";
  for (auto& part : place.parts)
    text += (text.size() > 1 ? "," : "") + part_text(part);
  text += ']';
  return base64url(seal ? seal(text).front() + text : text);
}

std::vector<std::uint64_t> cut_to_fit(merged_place& place, const cursor_seal& seal) {
  std::vector<std::uint64_t> result;
  auto size = bytes_of_seal(seal) + std::string_view{"[]"}.size() + (place.is_public ? public_mark.size() : 0);
  auto is_first = !place.is_public;
  std::erase_if(place.parts, [&](auto& part) {
    const auto more = (is_first ? 0 : 1) + part_text(part).size();
    if (encoded_size(size + more) > longest_cursor) {
      result.push_back(part.server);
      return true;
    }
    size += more;
    is_first = false;
    return false;
  });
  return result;
}

std::optional<merged_place> read_merged_cursor(std::string_view cursor, const cursor_seal& seal) {
  auto sealed = cursor.size() > longest_cursor ? std::nullopt : from_base64url(cursor);
  auto text = sealed ? unsealed(std::move(*sealed), seal) : std::nullopt;
  if (!text || json_error(*text) || trimmed(*text).front() != '[')
    return std::nullopt;
  merged_place result;
  for (array_reader parts{*text}; parts.next();) {
    if (!result.is_public && result.parts.empty() && parts.value() == public_mark) {
      result.is_public = true;
      continue;
    }
    auto part = read_part(parts.value());
    if (!part || result.parts.size() == most_parts || has(result.parts, part->server))
      return std::nullopt;
    result.parts.push_back(std::move(*part));
  }
  return result;
}

} // namespace troupe::protocol
