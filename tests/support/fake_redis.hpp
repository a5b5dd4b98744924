#pragma once

#include "tests/support/waiting.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace troupe::tests {

/// A Redis stand-in: the test receives each command, and answers when it chooses.
class fake_redis {
public:
  fake_redis() {
    sockaddr_in at{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
  }
  ~fake_redis() {
    for (auto& one : connections_)
      ::close(one.fd);
    ::close(listener_);
  }
  fake_redis(const fake_redis&) = delete;
  fake_redis& operator=(const fake_redis&) = delete;

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  void accept(std::size_t connections) {
    while (connections_.size() < connections)
      connections_.push_back({::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), POLLIN, 0});
  }
  /// Whether a client's next command contains the word, on any connection.
  bool hears(const std::string& word) {
    std::string heard;
    while (heard.find(word) == std::string::npos) {
      auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
      if (::poll(connections_.data(), connections_.size(), static_cast<int>(limit.count())) <= 0)
        return false;
      speaker_ = std::find_if(connections_.begin(), connections_.end(), [](auto& one) { return one.revents != 0; })->fd;
      char bytes[4096];
      auto size = ::read(speaker_, bytes, sizeof bytes);
      if (size <= 0)
        return false;
      heard.append(bytes, static_cast<std::size_t>(size));
    }
    return true;
  }
  /// Answers on the connection of the last command.
  void says(const std::string& reply) {
    EXPECT_EQ(::send(speaker_, reply.data(), reply.size(), MSG_NOSIGNAL), static_cast<ssize_t>(reply.size()));
  }

private:
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::vector<pollfd> connections_;
  int speaker_ = -1;
  std::uint16_t port_ = 0;
};

} // namespace troupe::tests
