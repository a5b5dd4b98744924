#pragma once

#include "protocol/rejection.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Information for a client on how to get a token (RFC 6750, 3; RFC 9728, 5.1).
struct challenge {
  /// Error code; empty when the request has no credentials, and therefore no wrong ones.
  std::string_view error = {};
  std::string_view description = {};
  /// All scopes that the request needs.
  std::vector<std::string> scopes = {};
  /// URL of the resource's metadata; empty when no issuer is configured.
  std::string metadata_url = {};
};

/// Formats the value of `WWW-Authenticate`. Characters that cannot be in a quoted string are dropped.
std::string challenge_text(const challenge& what);

// -- rejections ------------------------------------------------------------------------

/// 401: the request has no credentials, or none that are valid.
rejection unauthorized(const challenge& what);
/// 403: the caller is authenticated and lacks a scope. `what.scopes` has all scopes that the request needs.
rejection insufficient_scope(challenge what);
/// 403 for a request that needs the scopes `more` in addition to those of every request.
rejection insufficient_scope(std::vector<std::string> every_request, const std::vector<std::string>& more);
/// 400: the credentials cannot be parsed.
rejection bad_authorization(std::string_view why);

} // namespace troupe::protocol
