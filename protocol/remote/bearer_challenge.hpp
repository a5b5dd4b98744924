#pragma once

#include "protocol/remote/remote_effects.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a server says a client needs (RFC 6750, 3; RFC 9728, 5.1). Members that it does not have are empty.
struct bearer_challenge {
  std::string error = {};
  std::string metadata_url = {};
  std::vector<std::string> scopes = {};
  friend bool operator==(const bearer_challenge&, const bearer_challenge&) = default;
};

/// Reads a value of `WWW-Authenticate`, which may have challenges of several schemes (RFC 9110, 11.6.1). Nothing when
/// none is `Bearer`.
std::optional<bearer_challenge> read_bearer_challenge(std::string_view value);

/// The first in these fields; one that says nothing when there is none.
bearer_challenge challenge_of(const http_fields& fields);

/// Whether a server has refused the token itself: by 401, or as some do by 403.
bool is_token_refused(int status, const bearer_challenge& told);

} // namespace troupe::protocol
