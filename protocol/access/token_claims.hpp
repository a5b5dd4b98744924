#pragma once

#include "protocol/access/principal.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Audiences of the tokens that this gateway accepts (RFC 8707; 2025-11-25, authorization, "Token Audience Binding").
struct audience_rules {
  /// URL by which clients reach the gateway, without a slash at its end; empty when unknown.
  std::string url = {};
  /// Other names of the gateway at the issuer. A token for one of them is valid for every endpoint.
  std::vector<std::string> names = {};

  /// Path of the URL; empty when it has none.
  std::string_view path() const;
  friend bool operator==(const audience_rules&, const audience_rules&) = default;
};

/// True if one of these audiences, as `canonical_uri` gives them, is the endpoint at a path, such as `/mcp`, or the
/// whole gateway. Both `/mcp` and `/mcp/` name the endpoint.
bool is_meant_for(const std::vector<std::string>& audiences, const audience_rules& rules, std::string_view path);
/// True if one of these audiences is any endpoint, or the whole gateway.
bool is_meant_for_some(const std::vector<std::string>& audiences, const audience_rules& rules);

/// Longest token that is accepted, in bytes.
inline constexpr std::size_t longest_token = 16 * 1024;

/// Contents of a JSON Web Token (RFC 7519), not to be trusted until its signature is verified.
struct token_claims {
  std::string algorithm;
  /// Empty when the token names no key.
  std::string key_id = {};
  /// Claims, as a JSON object.
  std::string payload;
  /// Size of the signature, in bytes.
  std::size_t signature_size = 0;
  /// Whether the header declares an access token (RFC 9068, 2.1).
  bool is_access_token = false;
};

/// Parses a token in the compact form (RFC 7515, 3.1). Returns nothing for other texts, which may be opaque tokens.
/// Only `alg`, `kid` and `typ` are read from its header: `jku`, `x5u` and `jwk` are the sender's. A token with `crit`
/// gives nothing, since it requires extensions (RFC 7515, 4.1.11).
std::optional<token_claims> read_token(std::string_view text);

/// Rules for valid tokens.
struct token_rules {
  /// Issuer as configured; tokens may write it differently as far as `same_uri` permits.
  std::string issuer;
  audience_rules audience;
  /// Claim with the groups of the subject; empty when there is none.
  std::string groups_claim = {};
};

/// Returns the principal of a token with these claims; otherwise why it is invalid, in one line for the client.
std::variant<principal, std::string> check_claims(const token_claims& of, const token_rules& rules, calendar_time now);

/// Returns the principal by an issuer's answer about an opaque token (RFC 7662, 2.2). The answer may omit the issuer,
/// the expiry, and the subject of a token that a client has for itself.
std::variant<principal, std::string> check_introspection(std::string_view answer, const token_rules& rules,
                                                         calendar_time now);

} // namespace troupe::protocol
