#pragma once

#include "protocol/http/http.hpp"

#include <string_view>
#include <variant>

namespace troupe::protocol {

/// Request without credentials.
struct no_credentials {
  friend bool operator==(no_credentials, no_credentials) = default;
};
/// Key or token as sent; valid as long as the request.
struct bearer {
  std::string_view secret;
  friend bool operator==(bearer, bearer) = default;
};
/// Unreadable or repeated credentials: RFC 6750, 3.1, `invalid_request`.
struct bad_credentials {
  const char* why;
  friend bool operator==(bad_credentials, bad_credentials) = default;
};

using credentials = std::variant<no_credentials, bearer, bad_credentials>;

/// Parses `Authorization: Bearer` or `X-API-Key`. A request with another scheme counts as one without credentials. The
/// query is ignored (2025-11-25, authorization, "Access Token Usage").
credentials read_credentials(const http_request& request);

/// True if a text that may be a name has the form of a key or a signed token, and must not be shown. An opaque token
/// has no form.
bool looks_like_credentials(std::string_view text);

} // namespace troupe::protocol
