#pragma once

#include "protocol/access/principal.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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

/// Longest token that is looked at, in bytes.
inline constexpr std::size_t longest_token = 16 * 1024;

/// What a JSON Web Token says (RFC 7519), which is to be believed only once its signature is found good.
struct token_claims {
  std::string algorithm;
  /// Empty when it names no key.
  std::string key_id = {};
  /// The claims, as a JSON object.
  std::string payload;
  /// How many bytes the signature has.
  std::size_t signature_size = 0;
  /// Its header says that it is an access token (RFC 9068, 2.1).
  bool is_access_token = false;
};

/// Reads a token in the compact form (RFC 7515, 3.1). Nothing when it is none: then it may be an opaque one.
/// Of its header `alg` and `kid` are read alone: `jku`, `x5u` and `jwk` are the sender's. One with `crit` is none: it
/// wants more to be understood (RFC 7515, 4.1.11).
std::optional<token_claims> read_token(std::string_view text);

/// Which tokens are good.
struct token_rules {
  /// As it is configured; tokens may write it otherwise as far as `same_uri` permits.
  std::string issuer;
  audience_rules audience;
  /// The claim that has the groups of the subject; empty when there is none.
  std::string groups_claim = {};
};

/// Who asks by a token with these claims. Otherwise why it is not good, one line for the client.
std::variant<principal, std::string> judge_claims(const token_claims& of, const token_rules& rules, calendar_time now);

/// The same for what an issuer answers about an opaque token (RFC 7662, 2.2). It need not name itself again, nor an
/// expiry, nor the subject of a token that a client has for itself.
std::variant<principal, std::string> judge_introspection(std::string_view answer, const token_rules& rules,
                                                         calendar_time now);

} // namespace troupe::protocol
