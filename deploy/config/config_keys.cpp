#include "deploy/config/config_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace troupe::deploy {

namespace {

constexpr std::size_t longest_slip = 40;
constexpr std::size_t most_slips = 2;

/// Normalizes a name: lower case, without separators.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name)
    if (c != '_' && c != '-')
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

/// Returns the edit distance: letters to insert, delete, replace, or swap with a neighbour.
std::size_t slips(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] != to[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

} // namespace

std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names) {
  std::string_view result;
  if (name.size() > longest_slip)
    return result;
  const auto typed = plain(name);
  // Short names allow fewer typos; otherwise they would resemble all others.
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
