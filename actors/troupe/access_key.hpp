#pragma once

#include <string>

namespace troupe {

/// A key by which a client may use a gateway, and the SHA-256 of it in hexadecimal digits, by which the gateway knows
/// it.
struct made_key {
  std::string secret;
  std::string hash;
};

/// Makes a key that nobody can guess: 256 bits from the system's generator. Callable from any thread.
made_key make_access_key();

} // namespace troupe
