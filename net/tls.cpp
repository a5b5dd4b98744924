#include "net/tls.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace troupe::net {

bool expect_host(SSL* of, const std::string& host) {
  boost::system::error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  if (!no_address)
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(of), host.c_str()) == 1;
  return SSL_set_tlsext_host_name(of, host.c_str()) == 1 && SSL_set1_host(of, host.c_str()) == 1;
}

std::string why_handshake_failed(SSL* of, const std::string& host, const boost::system::error_code& error) {
  auto verdict = SSL_get_verify_result(of);
  if (verdict == X509_V_OK)
    return "cannot speak TLS with " + host + ": " + error.message();
  return "cannot trust " + host + ": certificate verify failed: " + X509_verify_cert_error_string(verdict);
}

} // namespace troupe::net
