#pragma once

#include "protocol/access/permissions.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/access/token_claims.hpp"
#include "protocol/access/token_verdict.hpp"
#include "protocol/http/http.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Patterns of accepted client certificate names (see `fits_glob`), and the scopes that each grants. Without any
/// pattern, all names are accepted and have no scopes.
using certificate_rules = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Returns the caller with a certificate of that name, valid until `until`, with the scopes of all matching rules; null
/// if none matches.
caller certificate_holder(std::string_view name, const certificate_rules& rules,
                          std::optional<calendar_time> until = std::nullopt);

/// Reason why a request has no caller that the gateway accepts.
struct unidentified {
  /// The credentials are bad, for the reason `why`; there are none; or there are none, and the request came through an
  /// untrusted proxy (see `endpoint_guard::is_untrusted`).
  enum class kind { bad, anonymous, untrusted };
  kind is = kind::bad;
  std::string_view why = {};
  friend bool operator==(const unidentified&, const unidentified&) = default;
};

/// Rules that decide which callers a gateway accepts.
struct endpoint_guard_rules {
  /// Whether requests without credentials are accepted.
  bool is_open = true;
  /// Issuer of tokens; empty when no tokens are accepted.
  std::string issuer = {};
  audience_rules audience = {};
  /// Scopes that every request needs.
  std::vector<std::string> scopes = {};
  /// Scopes that clients may request from the issuer.
  std::vector<std::string> known_scopes = {};
  scope_hierarchy includes = {};
  /// Proxies that are trusted to state how clients call the gateway.
  ip_networks trusted_proxies = {};
  /// Paths of HTTP+SSE, if there are several. A token for one of them is valid for all, since messages have a path of
  /// their own.
  std::vector<std::string> sse_paths = {};
  /// Whether callers without credentials must be on this machine.
  bool is_for_this_machine = false;
};

/// Metadata of a protected resource (RFC 9728, 2).
struct resource_metadata {
  /// URL of the endpoint, as clients use it.
  std::string resource;
  std::vector<std::string> issuers;
  std::vector<std::string> scopes;
  std::string name;
};
std::string metadata_text(const resource_metadata& what);

/// Decides on a request to the endpoint at a path, such as `/mcp`, and answers it (RFC 6750, 3; RFC 9728).
class endpoint_guard {
public:
  /// All arguments must outlive the object.
  endpoint_guard(const endpoint_guard_rules& rules, const http_request& request, std::string_view path)
      : rules_{rules}, request_{request}, path_{path} {}

  /// Returns the caller of a request without a key or a token: the holder of its certificate, or null if it may be
  /// anonymous. TLS has verified the certificate when the connection began; since then it may have expired.
  /// `is_passed_on`: see `known_fields`.
  std::variant<caller, unidentified> identify(const certificate_rules& certificates, bool is_passed_on,
                                              calendar_time now) const;
  /// Returns the refusal of a request without an acceptable caller.
  rejection refuse_unidentified(const unidentified& why) const;
  /// Returns the refusal of a request whose token was judged; empty for a good token.
  std::optional<rejection> refuse_by(const token_verdict& verdict) const;

  /// True if a request without credentials comes through an untrusted proxy on this machine. The proxy forwards for
  /// anybody, although only callers on this machine are accepted.
  bool is_untrusted(bool is_passed_on) const;
  /// Returns 403 for a request that `is_untrusted`.
  static rejection refuse_untrusted();
  /// Returns 401 for missing credentials.
  rejection refuse_anonymous() const;
  /// Returns 401 for invalid credentials.
  rejection refuse_bad(std::string_view why) const;
  /// Returns 403 for a caller who needs all of these scopes. `offline_access` is never requested (2026-07-28,
  /// authorization, "Refresh Tokens").
  rejection refuse_for_scopes(const std::vector<std::string>& needed) const;
  /// Adds the metadata URL to a 403 that was made where the client's request is not known.
  rejection completed(rejection refused) const;
  /// Refuses a caller whose token is for another endpoint, or who lacks scopes that every request needs.
  std::optional<rejection> refuse(const principal& who) const;

  /// Prefix of the gateway's paths for clients; empty when there is none.
  std::string prefix() const;
  /// Returns the metadata of the endpoint.
  http_response metadata() const;
  /// Returns a copy of the issuer's metadata, as clients of 2025-03-26 look for it here and not at the issuer. `text`
  /// is empty while it is not known.
  http_response issuer(std::string_view text) const;

private:
  bool is_meant_for_here(const principal& who) const;
  std::optional<http_response> answer_instead() const;
  /// Scheme, host and port by which clients reach the gateway; empty when unknown.
  std::string origin() const;
  std::string metadata_url() const;

  const endpoint_guard_rules& rules_;
  const http_request& request_;
  std::string_view path_;
};

} // namespace troupe::protocol
