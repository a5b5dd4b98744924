#pragma once

#include "tests/support/waiting.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace troupe::tests {

/// An HTTP answer as it came; status 0 when none came.
struct answer {
  int status = 0;
  std::string head;
  std::string body;
};

/// A client that says exactly the bytes that it is told to say. Blocks its caller, within patience.
class tcp_client {
public:
  /// From this address of the machine.
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
  /// To a unix socket.
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
  /// Whether all of it was taken.
  bool send(std::string_view text) {
    while (!text.empty()) {
      auto size = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (size <= 0)
        return false;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }

  /// FIN, while it still listens.
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

  /// What comes up to and with `end`; less when the connection ends before.
  std::string read_until(std::string_view end) {
    while (unread_.find(end) == unread_.npos && receive()) {
    }
    auto found = unread_.find(end);
    return take(found == unread_.npos ? unread_.size() : found + end.size());
  }

  std::string read(std::size_t size) {
    while (unread_.size() < size && receive()) {
    }
    return take(std::min(size, unread_.size()));
  }

  std::string read_to_end() {
    while (receive()) {
    }
    return take(unread_.size());
  }

  /// The data of one chunk; empty for the last one.
  std::string read_chunk() {
    auto size = read_until("\r\n");
    auto data = read(size.empty() ? 0 : std::stoul(size, nullptr, 16));
    read(2);
    return data;
  }

  answer read_answer(bool has_body = true) {
    answer result;
    result.head = read_until("\r\n\r\n");
    if (result.head.starts_with("HTTP/1.1 "))
      result.status = std::stoi(result.head.substr(9));
    auto length = result.head.find("Content-Length: ");
    if (has_body && length != result.head.npos)
      result.body = read(std::stoul(result.head.substr(length + 16)));
    return result;
  }

  int status() { return read_answer().status; }

  /// Whether the other side ends the connection, in order or by a reset, and says nothing before.
  bool sees_the_end() { return unread_.empty() && !receive() && unread_.empty() && ended_; }
  bool was_reset() const { return reset_; }

private:
  void limit_time() {
    timeval limit{std::chrono::seconds{patience}.count(), 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  bool receive() {
    char buffer[16 * 1024];
    auto size = ::recv(fd_, buffer, sizeof buffer, 0);
    while (size < 0 && errno == EINTR) // a child has ended
      size = ::recv(fd_, buffer, sizeof buffer, 0);
    ended_ = size == 0 || (size < 0 && errno == ECONNRESET);
    reset_ = size < 0 && errno == ECONNRESET;
    if (size > 0)
      unread_.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
  }

  std::string take(std::size_t size) {
    auto result = unread_.substr(0, size);
    unread_.erase(0, size);
    return result;
  }

  int fd_;
  std::string unread_;
  bool ended_ = false;
  bool reset_ = false;
};

} // namespace troupe::tests
