#include "net/tls.hpp"

#include <boost/asio/ip/address.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace troupe::net {

namespace ssl = boost::asio::ssl;

namespace {

/// What we speak inside (RFC 7301, 3.1): a length, then the name.
constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

void set_up(ssl::context& made, const std::string& ca_file, boost::system::error_code& error) {
  made.set_verify_mode(ssl::verify_peer);
  SSL_CTX_set_min_proto_version(made.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_alpn_protos(made.native_handle(), http_1_1, sizeof http_1_1);
  // A machine without authorities of its own may still trust those of the file.
  boost::system::error_code ignored;
  made.set_default_verify_paths(ignored);
  if (!ca_file.empty())
    made.load_verify_file(ca_file, error);
}

} // namespace

ssl::context* client_tls(const std::string& ca_file, std::string& why_not) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<ssl::context>> kept;
  std::lock_guard lock{mutex};
  if (auto found = kept.find(ca_file); found != kept.end())
    return found->second.get();
  boost::system::error_code error;
  auto made = std::make_unique<ssl::context>(ssl::context::tls_client);
  set_up(*made, ca_file, error);
  if (!error)
    return kept.emplace(ca_file, std::move(made)).first->second.get();
  why_not = "cannot use the certificates in '" + ca_file + "': " + error.message();
  return nullptr;
}

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
