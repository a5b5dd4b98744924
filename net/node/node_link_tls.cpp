#include "net/node/node_link_tls.hpp"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdexcept>

namespace troupe::net {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

/// A link lives long and is never resumed: tickets would only be bytes that nobody wants.
void set_up(ssl::context& made) {
  made.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  SSL_CTX_set_min_proto_version(made.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(made.native_handle(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(made.native_handle(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(made.native_handle(), 0);
}

template <class Read>
void read(const std::string& what, const std::string& file, Read how) {
  error_code error;
  how(file, error);
  if (error)
    throw std::runtime_error("cannot use the " + what + " in '" + file + "': " + error.message());
}

/// What OpenSSL finds in our own certificate, used for one of its purposes, or for none.
int verdict_of(SSL_CTX* of, int purpose) {
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{X509_STORE_CTX_new(), X509_STORE_CTX_free};
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(of, &chain);
  if (!check || X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(of), SSL_CTX_get0_certificate(of), chain) != 1)
    return X509_V_ERR_UNSPECIFIED;
  if (purpose != 0)
    X509_STORE_CTX_set_purpose(check.get(), purpose);
  return X509_verify_cert(check.get()) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(check.get());
}

/// A node is a client of those that it calls, and a server to those that call it.
void check_use(SSL_CTX* of, const std::string& file, int purpose, const std::string& use) {
  if (auto verdict = verdict_of(of, purpose); verdict != X509_V_OK)
    throw std::runtime_error("the certificate in '" + file + "' is not for " + use +
                             ", and a node needs both: " + X509_verify_cert_error_string(verdict));
}

/// What our own authority does not vouch for, no other node would take.
void check_own_certificate(SSL_CTX* of, const node_link_files& files) {
  if (auto verdict = verdict_of(of, 0); verdict != X509_V_OK)
    throw std::runtime_error("the certificates in '" + files.ca_file + "' do not vouch for that in '" +
                             files.certificate + "': " + X509_verify_cert_error_string(verdict));
  check_use(of, files.certificate, X509_PURPOSE_SSL_SERVER, "TLS servers (serverAuth)");
  check_use(of, files.certificate, X509_PURPOSE_SSL_CLIENT, "TLS clients (clientAuth)");
}

bool is_of_a_stranger(long verdict) {
  return verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY || verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
         verdict == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT || verdict == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
         verdict == X509_V_ERR_CERT_SIGNATURE_FAILURE || verdict == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE;
}

} // namespace

std::unique_ptr<ssl::context> node_link_tls(const node_link_files& files) {
  auto made = std::make_unique<ssl::context>(ssl::context::tls);
  set_up(*made);
  read("authority", files.ca_file, [&](auto& file, auto& error) { made->load_verify_file(file, error); });
  read("certificate", files.certificate,
       [&](auto& file, auto& error) { made->use_certificate_chain_file(file, error); });
  read("private key", files.private_key,
       [&](auto& file, auto& error) { made->use_private_key_file(file, ssl::context::pem, error); });
  if (SSL_CTX_check_private_key(made->native_handle()) != 1)
    throw std::runtime_error("the private key in '" + files.private_key + "' is not that of the certificate in '" +
                             files.certificate + "'");
  check_own_certificate(made->native_handle(), files);
  return made;
}

std::string why_not_tls(SSL* of, const error_code& error) {
  auto verdict = SSL_get_verify_result(of);
  if (verdict == X509_V_OK)
    return "cannot speak TLS with it: " + error.message();
  if (is_of_a_stranger(verdict))
    return "its certificate was not signed by our authority";
  return std::string{"its certificate is not valid: "} + X509_verify_cert_error_string(verdict);
}

} // namespace troupe::net
