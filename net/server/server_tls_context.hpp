#pragma once

#include <chrono>
#include <memory>
#include <openssl/types.h>
#include <optional>
#include <string>

namespace troupe::net {

/// What a connection takes a key and certificates from, and keeps as long as it lasts.
using server_tls_context = std::shared_ptr<SSL_CTX>;

/// The contents of a PEM file, and the name of the file, for errors.
struct pem_text {
  std::string file;
  std::string text;
};

/// What a TLS server shows, and which of its clients' certificates it believes.
struct server_tls_texts {
  /// The server's own certificate, followed by those that lead to an authority.
  pem_text certificates;
  pem_text private_key;
  /// Authorities of clients; without a file no client is asked for a certificate.
  pem_text client_authorities;
  /// Whether a client must have a certificate if it is asked for one.
  bool is_certificate_required = true;
  /// What the authorities have taken back; without a file that is not looked at.
  pem_text client_revocations = {};
};

/// For TLS 1.2 and 1.3, with HTTP/1.1 as what is spoken in it. Throws `std::runtime_error` with one line when the texts
/// are no PEM, or do not fit together.
server_tls_context make_server_tls_context(const server_tls_texts& from);

/// Whether a connection of that context would be begun today with the client of another: one that has shown no
/// certificate, or one that is still good.
bool is_client_believed(const SSL* client, SSL_CTX* by);

/// Seconds of the calendar; nothing when the text of it is no time.
std::optional<std::chrono::sys_seconds> seconds_of(const ASN1_TIME* time);

/// From when on clients are refused for lack of a list of revoked certificates: the first authority of those in the
/// text has none that is of today then. Nothing when there is no such time.
std::optional<std::chrono::sys_seconds> end_of_revocations(const pem_text& from);

} // namespace troupe::net
