#pragma once

#include "protocol/rejection.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a client is told so that it can get a token (RFC 6750, 3; RFC 9728, 5.1).
struct challenge {
  /// Empty when the request names nobody: then nothing is wrong with what it sent.
  std::string_view error = {};
  std::string_view description = {};
  /// What the request needs, all of it.
  std::vector<std::string> scopes = {};
  /// Where the metadata of the resource is; empty when no issuer is configured.
  std::string metadata_url = {};
};

/// The value of `WWW-Authenticate`. Texts lose what could end a quoted string.
std::string challenge_text(const challenge& what);

// -- rejections ------------------------------------------------------------------------

/// 401: nobody asks, or it is not known who.
rejection unauthorized(const challenge& what);
/// 403: the caller is known, and lacks a scope. `what.scopes` are all that the request needs.
rejection insufficient_scope(challenge what);
/// The same when the request needs `more` besides what every request does.
rejection insufficient_scope(std::vector<std::string> every_request, const std::vector<std::string>& more);
/// 400: credentials that cannot be read.
rejection bad_authorization(std::string_view why);

/// The document about a protected resource (RFC 9728, 2).
struct resource_metadata {
  /// The URL of the endpoint, as its clients use it.
  std::string resource;
  std::vector<std::string> issuers;
  std::vector<std::string> scopes;
  std::string name;
};
std::string metadata_text(const resource_metadata& what);

} // namespace troupe::protocol
