#pragma once

#include "net/owned_descriptor.hpp"

#include <boost/system/error_code.hpp>
#include <openssl/types.h>

#include <memory>
#include <string>

namespace troupe::net {

/// TLS connection after its handshake, handed to another thread that carries its bytes: its non-blocking socket and the
/// TLS state.
struct secure_connection {
  owned_descriptor socket;
  std::unique_ptr<SSL, void (*)(SSL*)> tls;
  /// Bytes received but not yet decrypted.
  std::string received;
};

/// Non-blocking socket as OpenSSL reads from it and writes to it.
struct bio_socket {
  /// Descriptor, not owned.
  int descriptor = -1;
  /// Bytes received already, read before those of the socket.
  std::string received = {};
};

/// Makes TLS use a socket; `of` outlives it. Unlike with OpenSSL's own BIO, a write to a closed connection raises no
/// signal.
void use_socket(SSL* tls, bio_socket& of);

/// Requires that the peer's certificate is for this host. False if that cannot be required.
bool expect_host(SSL* of, const std::string& host);

/// Returns why a handshake with a host failed: the fault of its certificate, if that is the cause.
std::string why_handshake_failed(SSL* of, const std::string& host, const boost::system::error_code& error);

} // namespace troupe::net
