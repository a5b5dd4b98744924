#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <cstdint>
#include <string>

namespace troupe::deploy {

/// How the user logs in where the server wants that.
struct login_options {
  /// Of a client that the authorization server knows; one is registered when it is empty.
  std::string client_id = {};
  std::string client_secret = {};
  /// The authorization server that may be logged in at; any when it is empty, unless there is a secret.
  std::string issuer = {};
  /// Where the browser comes back to; any when it is 0.
  std::uint16_t callback_port = 0;
  bool opens_browser = true;
  /// Log in though the issuer's metadata do not name PKCE.
  bool assumes_pkce = false;
};

/// `troupe connect URL`
struct connect_command {
  std::string url;
  protocol::remote_kind kind = protocol::remote_kind::detect;
  /// Sent with each request.
  protocol::http_fields headers;
  /// File of certificates that the server's may be signed by, besides the system's; empty for none.
  std::string ca_file;
  log_level level = log_level::info;
  login_options login;
  /// Forget the login instead.
  bool forgets_login = false;

  /// Whether the user may be asked to log in: not where the credentials are given.
  bool may_log_in() const;
};

} // namespace troupe::deploy
