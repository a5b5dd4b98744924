#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Whom tokens are for that this gateway takes (RFC 8707; 2025-11-25, authorization, "Token Audience Binding").
struct audience_rules {
  /// The URL at which clients know the gateway, without a slash at its end; empty when that is not known.
  std::string url = {};
  /// Other names that the issuer has for the gateway. A token for one of them is good for every endpoint.
  std::vector<std::string> names = {};

  /// The path of the URL; empty when it has none.
  std::string_view path() const;
  friend bool operator==(const audience_rules&, const audience_rules&) = default;
};

/// Whether one of these audiences, as `canonical_uri` gives them, is the endpoint at a path, such as `/mcp`, or the
/// whole gateway. Both `/mcp` and `/mcp/` name the endpoint.
bool is_meant_for(const std::vector<std::string>& audiences, const audience_rules& rules, std::string_view path);
/// The same for any endpoint.
bool is_meant_for_some(const std::vector<std::string>& audiences, const audience_rules& rules);

} // namespace troupe::protocol
