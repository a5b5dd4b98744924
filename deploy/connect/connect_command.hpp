#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <string>

namespace troupe::deploy {

/// `troupe connect URL`
struct connect_command {
  std::string url;
  protocol::remote_kind kind = protocol::remote_kind::detect;
  /// Sent with each request.
  protocol::http_fields headers;
  /// File of certificates that the server's may be signed by, besides the system's; empty for none.
  std::string ca_file;
  log_level level = log_level::info;
};

} // namespace troupe::deploy
