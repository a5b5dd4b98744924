#include "net/tls.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstddef>
#include <new>
#include <sys/socket.h>
#include <sys/types.h>

namespace troupe::net {

namespace {

bio_socket& bio_socket_of(BIO* bio) { return *static_cast<bio_socket*>(BIO_get_data(bio)); }

bool may_be_tried_again(ssize_t result) { return result < 0 && (errno == EAGAIN || errno == EINTR); }

int read_bio(BIO* bio, char* to, int most) {
  auto& from = bio_socket_of(bio);
  BIO_clear_retry_flags(bio);
  if (!from.received.empty()) {
    const auto size = from.received.copy(to, static_cast<std::size_t>(most));
    from.received.erase(0, size);
    return static_cast<int>(size);
  }
  const auto size = ::recv(from.descriptor, to, static_cast<std::size_t>(most), MSG_DONTWAIT);
  if (may_be_tried_again(size))
    BIO_set_retry_read(bio);
  return static_cast<int>(size);
}

int write_bio(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  const auto taken =
      ::send(bio_socket_of(bio).descriptor, from, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (may_be_tried_again(taken))
    BIO_set_retry_write(bio);
  return static_cast<int>(taken);
}

long control_bio(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_bio_kind() {
  auto* result = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket that raises no signal");
  if (!result)
    throw std::bad_alloc{};
  BIO_meth_set_read(result, read_bio);
  BIO_meth_set_write(result, write_bio);
  BIO_meth_set_ctrl(result, control_bio);
  return result;
}

} // namespace

/// The BIO method lives as long as the process.
void use_socket(SSL* tls, bio_socket& of) {
  static const auto* kind = make_bio_kind();
  auto* bio = BIO_new(kind);
  if (!bio)
    throw std::bad_alloc{};
  BIO_set_data(bio, &of);
  BIO_set_init(bio, 1);
  SSL_set_bio(tls, bio, bio);
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
