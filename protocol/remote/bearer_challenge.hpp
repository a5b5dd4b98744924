#pragma once

#include "protocol/remote/remote_effects.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// `Bearer` challenge of a server to a client (RFC 6750, 3; RFC 9728, 5.1). Absent members are empty.
struct bearer_challenge {
  std::string error = {};
  std::string metadata_url = {};
  std::vector<std::string> scopes = {};
  friend bool operator==(const bearer_challenge&, const bearer_challenge&) = default;
};

/// Reads a value of `WWW-Authenticate`, which may contain challenges of several schemes (RFC 9110, 11.6.1). Empty when
/// none is `Bearer`.
std::optional<bearer_challenge> read_bearer_challenge(std::string_view value);

/// Returns the first `Bearer` challenge in these fields; an empty challenge when there is none.
bearer_challenge challenge_of(const http_fields& fields);

/// Whether a server has refused the token itself: by 401, or by 403 as some servers do.
bool is_token_refused(int status, const bearer_challenge& told);

} // namespace troupe::protocol
