#include "actors/troupe/tls_options.hpp"
#include "net/server/server_tls.hpp"

namespace troupe {

certificate_ends certificate_expiry(const tls_options& options) {
  const net::server_tls read{{options.certificate, options.private_key, options.client_ca, true, options.client_crl}};
  return {read.expires(), read.revocations_expire()};
}

} // namespace troupe
