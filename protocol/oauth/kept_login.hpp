#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Stored login at a remote server, so that the user need not log in again. Times are seconds since 1970.
struct kept_login {
  std::string issuer = {};
  std::string token_url = {};
  /// Resource that tokens are requested for.
  std::string resource = {};
  std::string client_id = {};
  /// Empty for a client without a secret, such as programs of users.
  std::string client_secret = {};
  bool secret_in_form = false;
  /// Redirect URL of the last login, where a registered client has to return; empty without one.
  std::string redirect_url = {};
  /// Scopes that the client is registered for.
  std::string client_scope = {};
  /// Scopes of the tokens; empty when unknown.
  std::string scope = {};
  std::string access_token = {};
  /// Empty when there is no refresh token.
  std::string refresh_token = {};
  /// Time when the access token expires; 0 when unknown.
  std::int64_t expires = 0;

  friend bool operator==(const kept_login&, const kept_login&) = default;
};

/// Formats a login as a JSON text of several lines, which people can read.
std::string kept_login_text(const kept_login& login);

/// Parses such a text; nothing when it is no JSON object.
std::optional<kept_login> read_kept_login(std::string_view text);

} // namespace troupe::protocol
