#pragma once

#include "tests/bench/load_reply.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::bench {

using clock = std::chrono::steady_clock;
/// The time limit of every wait.
inline constexpr std::chrono::seconds patience{60};

class socket;

/// Dispatches the events of sockets. Single-threaded; a load has one.
class poller {
public:
  poller();
  ~poller();
  poller(const poller&) = delete;
  poller& operator=(const poller&) = delete;

  void watch(int fd, socket& of);
  /// Polls until `done` or the deadline; true when done.
  bool run(const std::function<bool()>& done, clock::time_point until);
  void run_for(std::chrono::duration<double> time);

private:
  int fd_;
};

/// A connection with one request at a time. Parts of a stream are reported as they arrive.
class socket {
public:
  using told = std::function<void(reply&)>;

  /// Throws when the port refuses the connection.
  socket(poller& all, std::uint16_t port);
  ~socket() { close(); }
  socket(const socket&) = delete;
  socket& operator=(const socket&) = delete;

  /// Calls `then` with the whole answer, or with status 0 when the connection failed.
  void ask(std::string_view request, told then);
  /// Like `ask`, but calls `part` for each part of the answer. `part` must not send a request on this connection.
  void listen(std::string_view request, told part);
  /// Sends bytes whose answer is ignored.
  void send(std::string_view bytes);
  /// Ends the connection by a FIN or a RST.
  void close();
  void reset();
  bool is_open() const { return fd_ >= 0; }
  /// Connects again after `close`.
  void reopen();
  /// Called by the poller.
  void ready();

private:
  void flush();
  bool receive();
  void arrived(bool whole);
  void lost();

  poller& all_;
  std::uint16_t port_;
  int fd_ = -1;
  bool streams_ = false;
  std::string unsent_;
  reply reply_;
  told then_;
};

} // namespace troupe::bench
