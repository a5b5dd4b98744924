#pragma once

#include "net/owned_descriptor.hpp"

#include <boost/system/error_code.hpp>
#include <openssl/types.h>

#include <memory>
#include <string>

namespace troupe::net {

/// A TLS connection of which only the bytes are left to carry, for another thread: its socket, which does not block,
/// and the state of TLS.
struct secure_connection {
  owned_descriptor socket;
  std::unique_ptr<SSL, void (*)(SSL*)> tls;
  /// What was received, but not decrypted.
  std::string received;
};

/// A socket that does not block, as OpenSSL reads from it and writes to it.
struct bio_socket {
  /// Stays its owner's.
  int descriptor = -1;
  /// What was received already, and comes before what the socket has.
  std::string received = {};
};

/// Lets TLS use a socket; `of` outlives it. Unlike OpenSSL's own kind, a write to a connection that is closed raises no
/// signal.
void use_socket(SSL* tls, bio_socket& of);

/// Lets a connection speak to this host alone. False when it cannot be asked for.
bool expect_host(SSL* of, const std::string& host);

/// Why a handshake with a host failed: what is wrong with its certificate, if that is it.
std::string why_handshake_failed(SSL* of, const std::string& host, const boost::system::error_code& error);

} // namespace troupe::net
