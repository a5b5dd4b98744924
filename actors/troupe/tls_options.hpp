#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace troupe {

/// PEM files for TLS (1.2 and 1.3) with clients; read again when they have changed, for connections that begin then,
/// and to judge the clients of those that are there.
struct tls_options {
  /// The gateway's certificate, followed by those that lead to an authority, and the key of it.
  std::string certificate;
  std::string private_key;
  /// What clients' certificates are signed by; none is asked for when it is empty. A client may come without one where
  /// keys, an issuer or `allow_anonymous` let others in.
  std::string client_ca = {};
  /// What those authorities have taken back (lists of revoked certificates); empty when that is not looked at. Each
  /// that leads to a client's certificate must have one, and renew it in time: else nobody is let in by it.
  std::string client_crl = {};

  friend bool operator==(const tls_options&, const tls_options&) = default;
};

/// When the certificate ends to be good. Throws `std::runtime_error` with one line when the files cannot be used.
/// Blocks while it reads them.
std::chrono::sys_seconds certificate_expiry(const tls_options& options);

/// When the first of the lists in `client_crl` ends to be good, and clients are refused; nothing without such a time.
/// Throws and blocks as the other.
std::optional<std::chrono::sys_seconds> revocations_expiry(const tls_options& options);

} // namespace troupe
