#pragma once

#include "tests/support/answer_reader.hpp"
#include "tests/support/waiting.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace troupe::tests {

/// A client that sends raw bytes. Blocks the caller, up to a time limit.
class tcp_client : public answer_reader {
public:
  /// Connects from this local address.
  explicit tcp_client(std::uint16_t port, int receive_buffer = 0, std::uint32_t from = INADDR_LOOPBACK)
      : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    limit_time();
    if (receive_buffer > 0)
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in own{AF_INET, 0, {htonl(from)}, {}};
    EXPECT_EQ(from == INADDR_LOOPBACK ? 0 : ::bind(fd_, reinterpret_cast<sockaddr*>(&own), sizeof own), 0);
    sockaddr_in to{AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}, {}};
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  /// Connects to a unix socket.
  explicit tcp_client(const std::string& path) : fd_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    limit_time();
    sockaddr_un to{AF_UNIX, {}};
    path.copy(to.sun_path, sizeof to.sun_path - 1);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~tcp_client() { leave(); }
  tcp_client(const tcp_client&) = delete;
  tcp_client& operator=(const tcp_client&) = delete;

  int descriptor() const { return fd_; }
  /// Whether all bytes were sent.
  bool send(std::string_view text) {
    while (!text.empty()) {
      auto size = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (size <= 0)
        return false;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }

  /// Sends a FIN, and keeps reading.
  void finish_sending() { ::shutdown(fd_, SHUT_WR); }
  void leave() {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }
  void reset() {
    linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    leave();
  }

  /// Whether the peer ends the connection, by FIN or RST, without further bytes.
  bool sees_the_end() { return !has_unread() && !receive() && ended_; }
  bool was_reset() const { return reset_; }

private:
  void limit_time() {
    timeval limit{std::chrono::seconds{patience}.count(), 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  bool receive() override {
    char buffer[16 * 1024];
    auto size = ::recv(fd_, buffer, sizeof buffer, 0);
    while (size < 0 && errno == EINTR) // interrupted by the exit of a child
      size = ::recv(fd_, buffer, sizeof buffer, 0);
    ended_ = size == 0 || (size < 0 && errno == ECONNRESET);
    reset_ = size < 0 && errno == ECONNRESET;
    if (size > 0)
      arrived({buffer, static_cast<std::size_t>(size)});
    return size > 0;
  }

  int fd_;
  bool ended_ = false;
  bool reset_ = false;
};

} // namespace troupe::tests
