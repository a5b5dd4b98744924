#include "protocol/cluster/node_card.hpp"

namespace troupe::protocol {

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
