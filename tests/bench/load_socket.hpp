#pragma once

#include "tests/bench/load_reply.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::bench {

using clock = std::chrono::steady_clock;
/// How long a load waits for what cannot take that long.
inline constexpr std::chrono::seconds patience{60};

class socket;

/// Tells sockets what happens to them. One thread; a load has one.
class poller {
public:
  poller();
  ~poller();
  poller(const poller&) = delete;
  poller& operator=(const poller&) = delete;

  void watch(int fd, socket& of);
  /// Until it is done, or the time has come; true when it is done.
  bool run(const std::function<bool()>& done, clock::time_point until);
  void run_for(std::chrono::duration<double> time);

private:
  int fd_;
};

/// A connection over which one request at a time is made. Where an answer is a stream, its parts are told as they come.
class socket {
public:
  using told = std::function<void(reply&)>;

  /// Throws when nobody listens there.
  socket(poller& all, std::uint16_t port);
  ~socket() { close(); }
  socket(const socket&) = delete;
  socket& operator=(const socket&) = delete;

  /// `then` is told of the whole answer; of one with status 0 when the connection was lost.
  void ask(std::string_view request, told then);
  /// The same, but each time something of the answer has come. `part` must not ask over this connection.
  void listen(std::string_view request, told part);
  /// Bytes that nobody waits for the answer of.
  void send(std::string_view bytes);
  /// What ends it: a FIN, or a RST.
  void close();
  void reset();
  bool is_open() const { return fd_ >= 0; }
  /// A new connection in place of one that was closed.
  void reopen();
  /// For the poller.
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
