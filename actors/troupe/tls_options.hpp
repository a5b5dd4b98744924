#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace troupe {

/// PEM files for TLS (1.2 and 1.3) with clients. When a file changes, it is read again for new connections, and to
/// check the clients of open connections again.
struct tls_options {
  /// Certificate of the gateway, followed by its chain to an authority, and the private key.
  std::string certificate;
  std::string private_key;
  /// Authorities of client certificates; if empty, clients are not asked for one. A client may have no certificate if
  /// keys, an issuer or `allow_anonymous` allow other clients.
  std::string client_ca = {};
  /// Certificate revocation lists of those authorities; if empty, revocation is not checked. Every authority in a
  /// client's chain needs a list that has not expired; otherwise its clients are refused.
  std::string client_crl = {};

  friend bool operator==(const tls_options&, const tls_options&) = default;
};

/// Returns the expiry of the certificate. Throws `std::runtime_error` with one line if the files cannot be used. Blocks
/// while it reads them.
std::chrono::sys_seconds certificate_expiry(const tls_options& options);

/// Returns the first expiry of the lists in `client_crl`, after which clients are refused; empty without an expiry.
/// Throws and blocks as `certificate_expiry` does.
std::optional<std::chrono::sys_seconds> revocations_expiry(const tls_options& options);

} // namespace troupe
