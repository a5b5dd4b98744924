#include "actors/troupe/tls_options.hpp"
#include "net/server/server_tls.hpp"

namespace troupe {

std::chrono::sys_seconds certificate_expiry(const tls_options& options) {
  return net::server_tls{{options.certificate, options.private_key, options.client_ca}}.expires();
}

} // namespace troupe
