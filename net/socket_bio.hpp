#pragma once

#include <openssl/types.h>
#include <string>

namespace troupe::net {

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

} // namespace troupe::net
