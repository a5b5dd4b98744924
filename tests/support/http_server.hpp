#pragma once

#include "tests/support/certificates.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <csignal>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/socket.h>

namespace troupe::tests {

/// The server's end of a connection, which sends raw bytes. Blocks its thread, up to a time limit.
class peer {
public:
  peer(int fd, std::size_t number, SSL_CTX* tls) : number{number}, fd_{fd} {
    timeval limit{std::chrono::seconds{patience}.count(), 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (!tls)
      return;
    ssl_.reset(SSL_new(tls));
    SSL_set_fd(ssl_.get(), fd_);
    is_good_ = SSL_accept(ssl_.get()) == 1;
  }
  ~peer() { leave(); }
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  const std::size_t number;
  bool shook_hands() const { return is_good_; }
  /// The server name in the client's TLS handshake (SNI).
  std::string wanted_name() const {
    auto name = ssl_ ? SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name) : nullptr;
    return name ? name : "";
  }

  /// Whether all bytes were sent.
  bool say(std::string_view text) {
    while (!text.empty()) {
      auto size = ssl_ ? SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()))
                       : ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (size <= 0)
        return false;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }

  /// A complete request; empty when the connection ends before.
  std::string read_request() {
    while (unread_.find("\r\n\r\n") == unread_.npos) {
      if (!receive())
        return {};
    }
    auto size = unread_.find("\r\n\r\n") + 4;
    if (auto length = unread_.find("Content-Length: "); length < size)
      size += std::stoul(unread_.substr(length + 16));
    while (unread_.size() < size && receive()) {
    }
    auto result = unread_.substr(0, size);
    unread_.erase(0, size);
    return result;
  }
  /// Whether the client ends the connection without further bytes.
  bool sees_the_end() { return unread_.empty() && !receive() && unread_.empty() && ended_; }

  /// Closes the connection in order, with a TLS close_notify.
  void leave() {
    if (ssl_ && is_good_)
      SSL_shutdown(ssl_.get());
    ssl_.reset();
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }
  /// Closes the connection without a TLS close_notify.
  void cut() {
    is_good_ = false;
    leave();
  }
  void reset() {
    linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    cut();
  }

private:
  bool receive() {
    char buffer[16 * 1024];
    auto size = ssl_ ? SSL_read(ssl_.get(), buffer, sizeof buffer) : ::recv(fd_, buffer, sizeof buffer, 0);
    ended_ = size <= 0 && (ssl_ || size == 0 || errno == ECONNRESET);
    if (size > 0)
      unread_.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
  }

  int fd_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, SSL_free};
  std::string unread_;
  bool is_good_ = true;
  bool ended_ = false;
};

/// Runs a script for each connection, on a thread of its own. Listens on loopback only.
class http_server {
public:
  using script = std::function<void(peer&)>;

  explicit http_server(script play, const std::optional<identity>& who = {}, int family = AF_INET)
      : play_{std::move(play)}, family_{family} {
    if (who)
      set_up_tls(*who);
    listen();
    thread_ = std::thread{[this] { accept(); }};
  }
  ~http_server() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    for (auto& one : peers_)
      one.join();
    ::close(fd_);
  }
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& target = "/", std::string host = {}) const {
    if (host.empty())
      host = family_ == AF_INET6 ? "[::1]" : "127.0.0.1";
    return (tls_ ? "https://" : "http://") + host + ":" + std::to_string(port_) + target;
  }
  std::size_t accepted() const { return accepted_; }
  /// Whether this machine has that address family.
  bool is_up() const { return port_ != 0; }

private:
  void set_up_tls(const identity& who) {
    tls_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate(tls_.get(), who.certificate.get());
    SSL_CTX_use_PrivateKey(tls_.get(), who.key.get());
  }

  void listen() {
    fd_ = ::socket(family_, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in six_less{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    sockaddr_in6 six{AF_INET6, 0, 0, IN6ADDR_LOOPBACK_INIT, 0};
    auto at = family_ == AF_INET ? reinterpret_cast<sockaddr*>(&six_less) : reinterpret_cast<sockaddr*>(&six);
    socklen_t size = family_ == AF_INET ? sizeof six_less : sizeof six;
    if (::bind(fd_, at, size) != 0 || ::listen(fd_, 64) != 0 || ::getsockname(fd_, at, &size) != 0)
      return;
    port_ = ntohs(family_ == AF_INET ? six_less.sin_port : six.sin6_port);
  }

  void accept() {
    sigset_t pipe; // OpenSSL writes to sockets that may be closed
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    for (int fd; (fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      auto number = accepted_++;
      peers_.emplace_back([this, fd, number] {
        peer one{fd, number, tls_.get()};
        play_(one);
      });
    }
  }

  script play_;
  int family_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_{nullptr, SSL_CTX_free};
  int fd_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> accepted_ = 0;
  std::vector<std::thread> peers_;
  std::thread thread_;
};

inline std::string length_answer(const std::string& body, const std::string& fields = {}) {
  return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

} // namespace troupe::tests
