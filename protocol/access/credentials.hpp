#pragma once

#include "protocol/http/http.hpp"

#include <string_view>
#include <variant>

namespace troupe::protocol {

/// The request names nobody.
struct no_credentials {
  friend bool operator==(no_credentials, no_credentials) = default;
};
/// A key or a token, as it was sent; valid as long as the request.
struct bearer {
  std::string_view secret;
  friend bool operator==(bearer, bearer) = default;
};
/// What cannot be read, or stands twice: RFC 6750, 3.1, `invalid_request`.
struct bad_credentials {
  const char* why;
  friend bool operator==(bad_credentials, bad_credentials) = default;
};

using credentials = std::variant<no_credentials, bearer, bad_credentials>;

/// Reads `Authorization: Bearer` or `X-API-Key`. Other schemes are not ours: whoever uses one is nobody here. What
/// stands in the query is not looked at (2025-11-25, authorization, "Access Token Usage").
credentials read_credentials(const http_request& request);

/// Whether a text that may be a name is a key or a signed token, by its form: such a text is never shown. An opaque
/// token has no form.
bool looks_like_credentials(std::string_view text);

} // namespace troupe::protocol
