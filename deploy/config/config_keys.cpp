#include "deploy/config/config_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace troupe::deploy {

namespace {

constexpr std::size_t longest_slip = 40;
constexpr std::size_t most_slips = 2;

/// The name without case and separators, in which spellings differ.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name)
    if (c != '_' && c != '-')
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

/// How many letters have to be put in, left out or replaced to make one name of the other (Levenshtein's distance).
std::size_t slips(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const auto replaced = diagonal + (from[i] != to[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names) {
  std::string_view result;
  if (name.size() > longest_slip)
    return result;
  const auto typed = plain(name);
  // Of a short name less may be wrong, or it would be like all others.
  auto best = std::min(most_slips, typed.size() / 3) + 1;
  for (const auto candidate : names) {
    const auto distance = slips(typed, plain(candidate));
    if (distance < best) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

void warn_of_unknown(const config_member& member, const std::vector<std::string_view>& known) {
  const auto meant = nearest(member.name, known);
  member.value.warn(meant.empty() ? "is not known" : "is not known, did you mean `" + std::string(meant) + "`?");
}

} // namespace troupe::deploy
