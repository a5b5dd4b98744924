#include "protocol/access/audience.hpp"

#include "protocol/text/url.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// Whether the gateway as a whole is meant.
bool is_whole(const std::string& audience, const audience_rules& rules) {
  return (!rules.url.empty() && audience == rules.url) || std::ranges::find(rules.names, audience) != rules.names.end();
}

/// Gives the path behind the gateway's URL; empty when it is none of the gateway's.
std::string_view path_within(std::string_view audience, const audience_rules& rules) {
  auto is_within = !rules.url.empty() && audience.starts_with(rules.url);
  auto rest = is_within ? audience.substr(rules.url.size()) : std::string_view{};
  return rest.starts_with('/') ? rest : std::string_view{};
}

} // namespace

std::string canonical_audience(std::string_view text) {
  std::string why_not;
  auto url = parse_http_url(text, why_not);
  if (!url)
    return std::string{text};
  return url->origin() + (url->target == "/" ? "" : url->target);
}

bool is_meant_for(const std::vector<std::string>& audiences, const audience_rules& rules, std::string_view path) {
  return std::ranges::any_of(
      audiences, [&](auto& one) { return is_whole(one, rules) || (!path.empty() && path_within(one, rules) == path); });
}

bool is_meant_for_some(const std::vector<std::string>& audiences, const audience_rules& rules) {
  return std::ranges::any_of(audiences,
                             [&](auto& one) { return is_whole(one, rules) || !path_within(one, rules).empty(); });
}

} // namespace troupe::protocol
