#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Issuer of tokens for the clients of a gateway: an authorization server of OAuth 2.1 or OpenID Connect.
struct issuer_options {
  /// URL of the issuer, exactly as in its tokens and metadata. `https://…`, or `http://…` on this machine.
  std::string url;
  /// Accepted audiences of tokens, besides `auth_options::url` and the endpoints under it. Either an audience or that
  /// URL must be given.
  std::vector<std::string> audiences = {};
  /// Claim with the groups of the subject; none if empty.
  std::string groups_claim = {};
  /// Credentials of the gateway at the issuer. If both are given, the issuer is queried about opaque tokens (RFC 7662).
  std::string client_id = {};
  std::string client_secret = {};
  /// File of certificates (PEM) that may sign the issuer's certificate, besides the system's; read again when it
  /// changes.
  std::string ca_file = {};

  friend bool operator==(const issuer_options&, const issuer_options&) = default;
};

/// Authentication of clients. With keys or an issuer, a client needs a key or a token, or a certificate if
/// `tls_options::client_ca` is set.
struct auth_options {
  /// Also allow clients without credentials. If false, a gateway without keys, issuer and client certificates listens
  /// on this machine only.
  bool allow_anonymous = false;
  /// File of keys, with lines as `troupe key new` prints them; read again when it changes.
  std::string keys_file = {};
  std::optional<issuer_options> issuer = {};
  /// URL at which clients reach the gateway: `https://gateway.example.com`, or `https://example.com/troupe` if a proxy
  /// serves it behind a path.
  std::string url = {};
  /// Accepted names of client certificates, as patterns (`*`, `?`), and the scopes of each. If empty, all certificates
  /// that `tls_options::client_ca` vouches for are accepted. The name is the first host, URI or e-mail address of a
  /// certificate (subjectAltName), or else its common name.
  std::map<std::string, std::vector<std::string>> certificates = {};
  /// Scopes that every request needs.
  std::vector<std::string> scopes = {};
  /// Scopes that a scope includes: a caller with `admin` may have `read` through it.
  std::map<std::string, std::vector<std::string>> scope_includes = {};

  friend bool operator==(const auth_options&, const auth_options&) = default;
};

} // namespace troupe
