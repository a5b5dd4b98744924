#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Authenticated caller, as identified by a key, a token or a certificate.
struct principal {
  /// Authority for the subject: the issuer of a token, `key_issuer` or `certificate_issuer`.
  std::string issuer;
  std::string subject;
  /// OAuth client that acts for the subject; empty when unknown.
  std::string client = {};
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// Claims about the subject, as a JSON object; empty when they are longer than a token can be.
  std::string claims = "{}";
  /// Audiences of the token, in the form of `canonical_uri`. Of no meaning for keys and certificates.
  std::vector<std::string> audiences = {};
  /// Time from which the principal is invalid; empty when it does not expire.
  std::optional<calendar_time> expires = {};

  friend bool operator==(const principal&, const principal&) = default;
};

inline constexpr const char* key_issuer = "key";
inline constexpr const char* certificate_issuer = "certificate";

/// True if the principal has shown a token, and neither a key nor a certificate.
inline bool has_token(const principal& one) { return one.issuer != key_issuer && one.issuer != certificate_issuer; }

/// Tolerated difference between the clocks of a token's issuer and of this machine.
inline constexpr std::chrono::seconds leeway{60};

/// Time from which a principal is invalid, by this machine's clock. A token has a `leeway`, since its issuer's clock
/// may differ. Keys are ours, and certificates are judged by our clock.
inline std::optional<calendar_time> good_until(const principal& one) {
  return one.expires && has_token(one) ? std::optional{*one.expires + leeway} : one.expires;
}

/// Authenticated caller; null for a caller without credentials, where none are needed.
using caller = std::shared_ptr<const principal>;

/// Identity of a principal, which stays when a caller shows another token: issuer, subject and client, as one text.
inline std::string identity_of(const principal& one) {
  std::string result;
  result.reserve(one.issuer.size() + one.subject.size() + one.client.size() + 16);
  for (auto* part : {&one.issuer, &one.subject, &one.client})
    result.append(std::to_string(part->size())).append(":").append(*part);
  return result;
}
/// Returns a caller's principal. Rules apply to callers without credentials, too: they have no scopes, no groups and no
/// name.
inline const principal& principal_of(const caller& one) {
  static const principal nobody;
  return one ? *one : nobody;
}

/// Identity of a caller; empty without credentials.
inline std::string identity_of(const caller& one) { return one ? identity_of(*one) : std::string{}; }

/// Scopes of a principal, as one text that does not depend on their order.
inline std::string scopes_key(const principal& one) {
  std::string result;
  for (auto& scope : std::set<std::string>(one.scopes.begin(), one.scopes.end()))
    result.append(std::to_string(scope.size())).append(":").append(scope);
  return result;
}

/// Returns why there is no token of the caller to exchange, in one line for the client.
inline std::string why_no_subject_token(const caller& one) {
  if (!one)
    return "it is exchanged for the caller's, and the caller has shown none";
  if (!has_token(*one))
    return "it is exchanged for the caller's, and the caller came with a " + one->issuer;
  return "it is exchanged for the caller's, and that has expired: it comes with the next request";
}

} // namespace troupe::protocol
