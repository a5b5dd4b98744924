#pragma once

#include "tests/support/waiting.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

namespace troupe::tests {

/// What a client takes for a Redis: the test hears each of its commands and answers when it likes.
class held_redis {
public:
  held_redis() {
    sockaddr_in at{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
  }
  ~held_redis() {
    ::close(client_);
    ::close(listener_);
  }
  held_redis(const held_redis&) = delete;
  held_redis& operator=(const held_redis&) = delete;

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  void accept() { client_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); }
  /// Whether the client says that next, perhaps among other words.
  bool hears(const std::string& word) {
    while (heard_.find(word) == std::string::npos) {
      char bytes[4096];
      pollfd wait{client_, POLLIN, 0};
      auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
      auto size = ::poll(&wait, 1, static_cast<int>(limit.count())) == 1 ? ::read(client_, bytes, sizeof bytes) : 0;
      if (size <= 0)
        return false;
      heard_.append(bytes, static_cast<std::size_t>(size));
    }
    heard_.clear();
    return true;
  }
  void says(const std::string& reply) {
    EXPECT_EQ(::send(client_, reply.data(), reply.size(), MSG_NOSIGNAL), static_cast<ssize_t>(reply.size()));
  }

private:
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int client_ = -1;
  std::uint16_t port_ = 0;
  std::string heard_;
};

} // namespace troupe::tests
