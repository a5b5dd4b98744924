#pragma once

#include "net/node/node_link_handshake.hpp"
#include "net/node/node_link_tls.hpp"
#include "tests/support/link_node.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <memory>
#include <openssl/ssl.h>
#include <string>
#include <string_view>

namespace troupe::tests {

/// Tests of links between nodes. The suite spans several files.
class node_link_test : public tidy_test {};

/// Options with long time limits, for tests of other behavior.
inline net::node_link_options patient() {
  net::node_link_options result;
  result.limit = result.silence = patience;
  return result;
}

/// A handwritten TLS connection to a node. Blocks the caller, up to a time limit.
class tls_wire {
public:
  /// Connects from this local address.
  tls_wire(std::uint16_t port, boost::asio::ssl::context& context, std::uint32_t from = INADDR_LOOPBACK)
      : tcp_{port, 0, from}, tls_{SSL_new(context.native_handle()), SSL_free} {
    SSL_set_fd(tls_.get(), tcp_.descriptor());
    is_secure_ = without_signal([this] { return SSL_connect(tls_.get()); }) == 1;
  }

  bool is_secure() const { return is_secure_; }
  SSL* tls() { return tls_.get(); }
  bool send(std::string_view text) {
    auto write = [&] { return SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())); };
    return is_secure_ && without_signal(write) > 0;
  }
  std::string read_until(std::string_view end) {
    std::string result;
    while (!result.ends_with(end) && more(result, 1)) {
    }
    return result;
  }
  std::string read(std::size_t size) {
    std::string result;
    while (result.size() < size && more(result, size - result.size())) {
    }
    return result;
  }
  std::string read_to_end() {
    std::string result;
    while (more(result, 4096)) {
    }
    return result;
  }

private:
  /// Each operation may write, if only an alert. A write to a closed connection would raise SIGPIPE.
  template <class Operation>
  static int without_signal(Operation operation) {
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const auto result = operation();
    timespec at_once{};
    sigtimedwait(&pipe, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return result;
  }
  bool more(std::string& to, std::size_t most) {
    std::string bytes(most, '\0');
    auto read = [&] { return SSL_read(tls_.get(), bytes.data(), static_cast<int>(most)); };
    const auto size = is_secure_ ? without_signal(read) : -1;
    to.append(bytes, 0, static_cast<std::size_t>(std::max(size, 0)));
    return size > 0;
  }

  tcp_client tcp_;
  std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
  bool is_secure_ = false;
};

/// A handwritten caller of a node.
class caller {
public:
  explicit caller(std::uint16_t port, const std::string& key = cluster_key, std::uint32_t from = INADDR_LOOPBACK)
      : context_{net::node_link_keyed_tls({key})}, wire{port, *context_, from}, talk{true, {key}, "caller"} {}

  std::string binding() { return net::binding_of(wire.tls()); }
  /// Runs the handshake until both sides have proved the key.
  void prove() {
    if (!wire.is_secure())
      return;
    wire.send(talk.begin(binding()));
    auto greeting = wire.read_until("\n");
    if (greeting.empty())
      return;
    talk.feed(greeting + wire.read(std::stoul(greeting.substr(greeting.rfind(' ')))));
  }

private:
  std::unique_ptr<boost::asio::ssl::context> context_;

public:
  tls_wire wire;
  net::node_link_handshake talk;
};

} // namespace troupe::tests
