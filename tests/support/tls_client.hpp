#pragma once

#include "tests/support/certificates.hpp"
#include "tests/support/tcp_client.hpp"

#include <csignal>
#include <memory>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests {

/// The parameters that a TLS client offers.
struct tls_offer {
  int oldest = TLS1_2_VERSION;
  int newest = TLS1_3_VERSION;
  /// The protocols of ALPN, such as `h2`; no extension when empty.
  std::vector<std::string> protocols = {};
  identity who = {};
  int receive_buffer = 0;
  /// A session of an earlier connection, owned by the caller.
  SSL_SESSION* session = nullptr;
};

/// A TLS client that accepts every certificate. Blocks the caller, up to a time limit. Each operation may write, if
/// only an alert. On a closed connection that raises SIGPIPE, which is blocked meanwhile.
class tls_client : public answer_reader {
public:
  explicit tls_client(std::uint16_t port, const tls_offer& offer = {}) : tcp_{port, offer.receive_buffer} {
    SSL_CTX_set_min_proto_version(context_.get(), offer.oldest);
    SSL_CTX_set_max_proto_version(context_.get(), offer.newest);
    SSL_CTX_set_security_level(context_.get(), 0); // allows the old versions
    if (offer.who.key) {
      SSL_CTX_use_certificate(context_.get(), offer.who.certificate.get());
      SSL_CTX_use_PrivateKey(context_.get(), offer.who.key.get());
    }
    tls_.reset(SSL_new(context_.get()));
    std::string protocols;
    for (auto& one : offer.protocols)
      protocols += static_cast<char>(one.size()) + one;
    SSL_set_alpn_protos(tls_.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                        static_cast<unsigned>(protocols.size()));
    if (offer.session)
      SSL_set_session(tls_.get(), offer.session);
    SSL_set_fd(tls_.get(), tcp_.descriptor());
    is_open_ = call([this] { return SSL_connect(tls_.get()); }) == 1;
  }

  SSL* tls() { return tls_.get(); }
  tcp_client& tcp() { return tcp_; }
  bool is_open() const { return is_open_; }
  /// The OpenSSL error of the last operation, such as the server's alert.
  int why_not() const { return why_not_; }
  std::string version() const { return SSL_get_version(tls_.get()); }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  /// The serial number of the server's certificate.
  long shown() const {
    auto* one = SSL_get0_peer_certificate(tls_.get());
    return one ? ASN1_INTEGER_get(X509_get0_serialNumber(one)) : 0;
  }

  bool send(std::string_view text) {
    while (is_open_ && !text.empty()) {
      auto size = call([&] { return SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())); });
      if (size <= 0)
        return false;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return is_open_;
  }
  /// Sends close_notify.
  void send_close_notify() {
    call([this] { return SSL_shutdown(tls_.get()); });
  }
  void leave() { tcp_.leave(); }

  /// Whether the server sends close_notify without further data.
  bool gets_close_notify() { return !receive() && SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN; }

private:
  template <class Operation>
  int call(Operation operation) {
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ERR_clear_error();
    const auto result = operation();
    why_not_ = result > 0 ? 0 : ERR_GET_REASON(ERR_peek_last_error());
    timespec at_once{};
    sigtimedwait(&pipe, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return result;
  }
  bool receive() override {
    char buffer[16 * 1024];
    auto size = is_open_ ? call([&] { return SSL_read(tls_.get(), buffer, sizeof buffer); }) : 0;
    if (size > 0)
      arrived({buffer, static_cast<std::size_t>(size)});
    return size > 0;
  }
  tcp_client tcp_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, decltype(&SSL_free)> tls_{nullptr, SSL_free};
  bool is_open_ = false;
  int why_not_ = 0;
};

} // namespace troupe::tests
