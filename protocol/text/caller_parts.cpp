#include "protocol/text/caller_parts.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::size_t longest_claim_name = 256;

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string fault_of_name(std::string_view name) {
  if (name.empty())
    return "has a `${principal.}` without a name";
  if (name.size() > longest_claim_name || has_control_character(name))
    return "has a `${principal.…}` with a name that no claim has";
  if (name.find(":-") != name.npos)
    return "has a `${principal.…}` with a default: who lacks the claim is refused";
  return {};
}

} // namespace

std::vector<caller_part> caller_parts(std::string_view text) {
  std::vector<caller_part> result;
  while (!text.empty()) {
    const auto begin = std::min(text.find(caller_mark), text.size());
    const auto end = begin == text.size() ? text.npos : text.find('}', begin);
    if (end == text.npos) {
      result.push_back({text, false});
      break;
    }
    if (begin != 0)
      result.push_back({text.substr(0, begin), false});
    result.push_back({text.substr(begin + caller_mark.size(), end - begin - caller_mark.size()), true});
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string fault_of_caller_parts(std::string_view text) {
  for (auto& part : caller_parts(text)) {
    if (!part.is_name && depends_on_caller(part.text))
      return "has a `${principal.` that no `}` ends";
    if (auto why = part.is_name ? fault_of_name(part.text) : std::string{}; !why.empty())
      return why;
  }
  return {};
}

} // namespace troupe::protocol
