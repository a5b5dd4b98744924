#include "protocol/cluster/node_identity.hpp"

#include "protocol/text/base_encodings.hpp"

#include <array>
#include <charconv>

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

} // namespace troupe::protocol
