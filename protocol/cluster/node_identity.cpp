#include "protocol/cluster/node_identity.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace troupe::protocol {

namespace {

constexpr std::size_t half = 16;

std::string number_text(std::uint64_t number) {
  std::array<std::byte, 8> bytes{};
  for (auto at = bytes.rbegin(); at != bytes.rend(); ++at, number >>= 8)
    *at = static_cast<std::byte>(number & 0xFF);
  return hex(bytes);
}

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// Reads the whole text, in lower-case digits only.
std::optional<std::uint64_t> read_hexadecimal(std::string_view text) {
  std::uint64_t result = 0;
  for (auto c : text)
    if (!is_hex_digit(c))
      return std::nullopt;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result, 16);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{result} : std::nullopt;
}

/// Accepts only our own form: digits without a leading zero.
std::optional<std::uint32_t> read_version(std::string_view text) {
  auto number = read_number(text);
  if (!number || *number == 0 || *number > std::numeric_limits<std::uint32_t>::max() || text.front() == '0')
    return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

} // namespace

std::string life_text(node_life life) { return number_text(life.node) + number_text(life.incarnation); }

std::optional<node_life> read_life(std::string_view text) {
  if (text.size() != 2 * half)
    return std::nullopt;
  auto node = read_hexadecimal(text.substr(0, half));
  auto incarnation = read_hexadecimal(text.substr(half));
  return node && incarnation ? std::optional{node_life{*node, *incarnation}} : std::nullopt;
}

std::string card_text(const node_card& card) { return card.version + ' ' + life_text(card.life) + ' ' + card.name; }

std::optional<node_card> read_card(std::string_view text) {
  auto after_version = text.find(' ');
  auto after_life = after_version == text.npos ? text.npos : text.find(' ', after_version + 1);
  if (after_version == 0 || after_life == text.npos || after_life + 1 == text.size())
    return std::nullopt;
  auto life = read_life(text.substr(after_version + 1, after_life - after_version - 1));
  if (!life)
    return std::nullopt;
  return node_card{std::string{text.substr(0, after_version)}, *life, std::string{text.substr(after_life + 1)}};
}

std::string versions_text(const spoken_versions& which) {
  auto oldest = std::to_string(which.oldest);
  return which.oldest == which.newest ? oldest : oldest + '-' + std::to_string(which.newest);
}

std::optional<spoken_versions> read_versions(std::string_view text) {
  auto hyphen = text.find('-');
  auto oldest = read_version(text.substr(0, hyphen));
  auto newest = hyphen == text.npos ? oldest : read_version(text.substr(hyphen + 1));
  if (!oldest || !newest || (hyphen != text.npos && *oldest >= *newest))
    return std::nullopt;
  return spoken_versions{*oldest, *newest};
}

std::optional<std::uint32_t> common_version(const spoken_versions& one, const spoken_versions& other) {
  auto newest = std::min(one.newest, other.newest);
  return newest >= std::max(one.oldest, other.oldest) ? std::optional{newest} : std::nullopt;
}

std::string why_strange(const std::string& theirs, const std::string& ours) {
  const auto one = read_versions(theirs), other = read_versions(ours);
  if (!one)
    return "it says that it speaks version " + theirs + " of the protocol between nodes, which is none";
  if (!other || !common_version(*one, *other))
    return "it speaks version " + theirs + " of the protocol between nodes, here it is " + ours;
  return {};
}

} // namespace troupe::protocol
