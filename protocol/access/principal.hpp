#pragma once

#include "protocol/time.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Who asks, as the door found out from a key, a token or a certificate.
struct principal {
  /// Who vouches for the subject: the issuer of a token, `key_issuer` or `certificate_issuer`.
  std::string issuer;
  std::string subject;
  /// The OAuth client that asks for the subject; empty when that is not known.
  std::string client = {};
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// What else is known of the subject, as a JSON object; empty when that is more than a token can say.
  std::string claims = "{}";
  /// Whom the token is for, as `canonical_uri` has it. Of no meaning for keys and certificates.
  std::vector<std::string> audiences = {};
  /// From then on it is nobody any more.
  std::optional<calendar_time> expires = {};

  friend bool operator==(const principal&, const principal&) = default;
};

inline constexpr const char* key_issuer = "key";
inline constexpr const char* certificate_issuer = "certificate";

/// Whether it has shown a token, and neither a key nor a certificate.
inline bool has_token(const principal& one) { return one.issuer != key_issuer && one.issuer != certificate_issuer; }

/// When a principal is nobody any more, as this machine's clock has it: that of the issuer of a token may differ, while
/// keys are ours and certificates are judged by our clock.
inline std::optional<calendar_time> good_until(const principal& one) {
  return one.expires && has_token(one) ? std::optional{*one.expires + leeway} : one.expires;
}

/// Whoever asks; null for somebody who has no credentials, where none are needed.
using caller = std::shared_ptr<const principal>;

/// What differs between principals, and stays when one of them comes with another token: issuer, subject and client, as
/// one text.
inline std::string identity_of(const principal& one) {
  std::string result;
  result.reserve(one.issuer.size() + one.subject.size() + one.client.size() + 16);
  for (auto* part : {&one.issuer, &one.subject, &one.client})
    result.append(std::to_string(part->size())).append(":").append(*part);
  return result;
}
/// Who asks; for null somebody without credentials, for whom rules hold as well: he has no scopes, no groups and no
/// name.
inline const principal& principal_of(const caller& one) {
  static const principal nobody;
  return one ? *one : nobody;
}

/// Empty for nobody.
inline std::string identity_of(const caller& one) { return one ? identity_of(*one) : std::string{}; }

/// What it may do by its scopes, as one text that is the same in whatever order they come.
inline std::string scopes_told(const principal& one) {
  std::string result;
  for (auto& scope : std::set<std::string>(one.scopes.begin(), one.scopes.end()))
    result.append(std::to_string(scope.size())).append(":").append(scope);
  return result;
}

/// Why there is no token of the caller's to exchange, in one line for the client.
inline std::string why_no_subject_token(const caller& one) {
  if (!one)
    return "it is exchanged for the caller's, and the caller has shown none";
  if (!has_token(*one))
    return "it is exchanged for the caller's, and the caller came with a " + one->issuer;
  return "it is exchanged for the caller's, and that has expired: it comes with the next request";
}

} // namespace troupe::protocol
