#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What is kept of a login at a remote server, so that its user is not asked again. Times are seconds since 1970.
struct kept_login {
  std::string issuer = {};
  std::string token_url = {};
  /// What tokens are asked for.
  std::string resource = {};
  std::string client_id = {};
  /// Empty when the client has none, as programs of users do.
  std::string client_secret = {};
  bool secret_in_form = false;
  /// Where the client is registered to be sent back to; empty when it was configured.
  std::string redirect_url = {};
  /// What it is registered to ask for.
  std::string client_scope = {};
  /// Empty when it is not known.
  std::string scope = {};
  std::string access_token = {};
  /// Empty when there is none.
  std::string refresh_token = {};
  /// 0 when it is not known.
  std::int64_t expires = 0;

  friend bool operator==(const kept_login&, const kept_login&) = default;
};

/// As a JSON text of several lines, which people may read.
std::string kept_login_text(const kept_login& login);

/// Nothing when the text is anything else.
std::optional<kept_login> read_kept_login(std::string_view text);

} // namespace troupe::protocol
