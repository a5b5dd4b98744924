#pragma once

#include "net/owned_descriptor.hpp"

#include <memory>
#include <openssl/types.h>
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

} // namespace troupe::net
