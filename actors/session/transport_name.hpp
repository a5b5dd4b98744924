#pragma once

#include "protocol/delivery/delivery.hpp"

namespace troupe::actors {

/// As metrics and operators know it.
inline const char* name_of(protocol::transport via) {
  switch (via) {
  case protocol::transport::http_sse:
    return "http_sse";
  case protocol::transport::stateless:
    return "stateless";
  default:
    return "streamable_http";
  }
}

} // namespace troupe::actors
