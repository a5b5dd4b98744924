#include "protocol/access/audience.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// A client may write the slash behind the path of an endpoint, or of the gateway, which is the same.
std::string_view without_slash(std::string_view path) {
  return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

/// Whether the gateway as a whole is meant.
bool is_whole(const std::string& audience, const audience_rules& rules) {
  const auto named = rules.path().empty() ? std::string_view{audience} : without_slash(audience);
  return (!rules.url.empty() && named == rules.url) || std::ranges::find(rules.names, audience) != rules.names.end();
}

/// Gives the path behind the gateway's URL; empty when it is none of the gateway's.
std::string_view path_within(std::string_view audience, const audience_rules& rules) {
  auto is_within = !rules.url.empty() && audience.starts_with(rules.url);
  auto rest = is_within ? audience.substr(rules.url.size()) : std::string_view{};
  return rest.starts_with('/') ? without_slash(rest) : std::string_view{};
}

} // namespace

std::string_view audience_rules::path() const {
  auto host = url.find("://");
  auto at = host == url.npos ? host : url.find('/', host + 3);
  return at == url.npos ? std::string_view{} : std::string_view{url}.substr(at);
}

bool is_meant_for(const std::vector<std::string>& audiences, const audience_rules& rules, std::string_view path) {
  const auto endpoint = without_slash(path);
  return std::ranges::any_of(audiences, [&](auto& one) {
    return is_whole(one, rules) || (!endpoint.empty() && path_within(one, rules) == endpoint);
  });
}

bool is_meant_for_some(const std::vector<std::string>& audiences, const audience_rules& rules) {
  return std::ranges::any_of(audiences,
                             [&](auto& one) { return is_whole(one, rules) || !path_within(one, rules).empty(); });
}

} // namespace troupe::protocol
