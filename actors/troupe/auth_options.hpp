#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Who makes tokens for the clients of a gateway: an authorization server of OAuth 2.1 or OpenID Connect.
struct issuer_options {
  /// Exactly as its tokens and its metadata name it. `https://…`, or `http://…` on this machine.
  std::string url;
  /// What its tokens name as their audience, besides `auth_options::url` and the endpoints under it. One of these or
  /// that URL must be given.
  std::vector<std::string> audiences = {};
  /// The claim that has the groups of the subject; none when empty.
  std::string groups_claim = {};
  /// With both, the issuer is asked about tokens that are no JSON Web Tokens (RFC 7662), as this client.
  std::string client_id = {};
  std::string client_secret = {};
  /// A file of certificates (PEM) that the issuer's may be signed by, besides the system's; read again when it has
  /// changed.
  std::string ca_file = {};

  friend bool operator==(const issuer_options&, const issuer_options&) = default;
};

/// Who may use a gateway. With keys or an issuer, clients need one of their keys or tokens, or a certificate if
/// `tls_options::client_ca` asks for one.
struct auth_options {
  /// Whoever has no credentials comes in all the same. Without it, and without keys, issuer and certificates of
  /// clients, a gateway listens on this machine only.
  bool allow_anonymous = false;
  /// A file of keys, as `troupe key new` prints their lines; read again when it has changed.
  std::string keys_file = {};
  std::optional<issuer_options> issuer = {};
  /// The URL at which clients know the gateway: `https://gateway.example.com`, or `https://example.com/troupe` when a
  /// proxy serves it behind a path.
  std::string url = {};
  /// Names of clients' certificates that come in, as patterns (`*`, `?`), and the scopes that each has. All that
  /// `tls_options::client_ca` vouches for when it is empty. The name is the first one of a host, a URI or an e-mail
  /// address that a certificate has (subjectAltName), or else its common name.
  std::map<std::string, std::vector<std::string>> certificates = {};
  /// What every request needs.
  std::vector<std::string> scopes = {};
  /// Scopes that others stand for, too: who has `admin` may have `read` by it.
  std::map<std::string, std::vector<std::string>> scope_includes = {};

  friend bool operator==(const auth_options&, const auth_options&) = default;
};

} // namespace troupe
