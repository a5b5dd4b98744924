#pragma once

#include "tests/support/waiting.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>

namespace troupe::tests {

/// A Redis on a free local port. It stores nothing on disk and ends with the test.
class redis_server {
public:
  explicit redis_server(lines arguments = {}) : redis_server{"--port", std::move(arguments)} {}
  /// A server that only accepts TLS, with these files.
  static redis_server in_tls(const std::string& certificate, const std::string& key, lines more = {}) {
    lines all{"--port",
              "0",
              "--tls-cert-file",
              certificate,
              "--tls-key-file",
              key,
              "--tls-ca-cert-file",
              certificate,
              "--tls-auth-clients",
              "no"};
    all.insert(all.end(), more.begin(), more.end());
    return {"--tls-port", std::move(all)};
  }
  ~redis_server() { kill(); }
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& password = {}) const {
    return "redis://" + (password.empty() ? "" : ":" + password + "@") + "127.0.0.1:" + std::to_string(port_);
  }

  /// Restarts it on the same port, empty.
  void start() {
    lines words{
        "setpriv",     "--pdeathsig", "KILL",       "redis-server", port_flag_, std::to_string(port_), "--bind",
        "127.0.0.1",   "--save",      "",           "--appendonly", "no",       "--logfile",           "/dev/null",
        "--daemonize", "no",          "--loglevel", "warning"};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    std::vector<char*> pointers;
    for (auto& one : words)
      pointers.push_back(one.data());
    pointers.push_back(nullptr);
    ASSERT_EQ(::posix_spawnp(&pid_, "setpriv", nullptr, nullptr, pointers.data(), environ), 0);
    ASSERT_TRUE(eventually([this] { return listens(); })) << "redis-server does not start";
  }
  /// Kills it at once.
  void kill() {
    if (pid_ <= 0)
      return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  /// Stops it by SIGSTOP. The kernel still accepts connections, but nothing is answered.
  void freeze() {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void thaw() { ::kill(pid_, SIGCONT); }

private:
  redis_server(std::string port_flag, lines arguments)
      : port_flag_{std::move(port_flag)}, arguments_{std::move(arguments)}, port_{free_port()} {
    start();
  }

  static int socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

  static std::uint16_t free_port() {
    sockaddr_in at{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    socklen_t size = sizeof at;
    auto fd = socket();
    EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size), 0);
    ::close(fd);
    return ntohs(at.sin_port);
  }
  bool listens() const {
    sockaddr_in to{AF_INET, htons(port_), {htonl(INADDR_LOOPBACK)}, {}};
    auto fd = socket();
    auto result = ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    ::close(fd);
    return result;
  }

  std::string port_flag_;
  lines arguments_;
  std::uint16_t port_;
  pid_t pid_ = -1;
};

} // namespace troupe::tests
