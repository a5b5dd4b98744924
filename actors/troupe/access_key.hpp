#pragma once

#include <string>

namespace troupe {

/// A key that authenticates a client, and the SHA-256 of the key in hexadecimal digits, by which the gateway recognises
/// it.
struct made_key {
  std::string secret;
  std::string hash;
};

/// Makes an unguessable key: 256 bits from the system's generator. Callable from any thread.
made_key make_access_key();

} // namespace troupe
