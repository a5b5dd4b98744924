#include "protocol/delivery/event_id.hpp"

#include "protocol/text/number.hpp"

#include <array>
#include <charconv>

namespace troupe::protocol {

/// FNV-1a: tags only have to differ between sessions.
std::string event_tag(std::string_view session_id) {
  std::uint32_t hash = 2166136261U;
  for (auto c : session_id)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  std::array<char, 8> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
  return {digits.data(), end};
}

std::string event_id_text(std::string_view tag, event_id id) {
  std::array<char, 20> digits;
  auto text_of = [&](std::uint64_t number) {
    return std::string_view{digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
  };
  std::string text;
  text.reserve(tag.size() + 2 + 2 * digits.size());
  text.append(tag).append("-").append(text_of(id.stream));
  return text.append("-").append(text_of(id.position));
}

std::optional<event_id> read_event_id(std::string_view tag, std::string_view text) {
  if (!text.starts_with(tag) || text.substr(tag.size(), 1) != "-")
    return std::nullopt;
  auto rest = text.substr(tag.size() + 1);
  auto dash = rest.find('-');
  if (dash == rest.npos)
    return std::nullopt;
  auto stream = read_number(rest.substr(0, dash));
  auto position = read_number(rest.substr(dash + 1));
  if (!stream || !position)
    return std::nullopt;
  return event_id{*stream, *position};
}

} // namespace troupe::protocol
