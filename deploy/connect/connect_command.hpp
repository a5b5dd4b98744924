#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <cstdint>
#include <string>

namespace troupe::deploy {

/// Options of the user's login, for servers that require one.
struct login_options {
  /// Id of a client registered at the authorization server; when empty, a client is registered dynamically.
  std::string client_id = {};
  std::string client_secret = {};
  /// Authorization server where the user may log in; any when empty, unless there is a client secret.
  std::string issuer = {};
  /// Port of the redirect URI on this machine; any free port when 0.
  std::uint16_t callback_port = 0;
  bool opens_browser = true;
  /// Whether to log in although the issuer's metadata do not announce PKCE.
  bool assumes_pkce = false;
};

/// Options of `troupe connect URL`.
struct connect_command {
  std::string url;
  protocol::remote_kind kind = protocol::remote_kind::detect;
  /// Header fields of each request to the server.
  protocol::http_fields headers;
  /// File of CA certificates that are trusted besides the system's; empty for none.
  std::string ca_file;
  log_level level = log_level::info;
  login_options login;
  /// Whether to forget the stored login, and do nothing else.
  bool forgets_login = false;

  /// True if the user may be asked to log in: the header fields have no credentials.
  bool may_log_in() const;
};

} // namespace troupe::deploy
