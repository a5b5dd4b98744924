#include "actors/troupe/tls_options.hpp"
#include "net/server/server_tls.hpp"

namespace troupe {

namespace {

net::server_tls loaded(const tls_options& options) {
  return net::server_tls{{options.certificate, options.private_key, options.client_ca, true, options.client_crl}};
}

} // namespace

std::chrono::sys_seconds certificate_expiry(const tls_options& options) { return loaded(options).expires(); }

std::optional<std::chrono::sys_seconds> revocations_expiry(const tls_options& options) {
  return loaded(options).revocations_expire();
}

} // namespace troupe
