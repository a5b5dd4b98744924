#pragma once

#include "net/server/connections.hpp"
#include "net/server/server_tls.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace troupe::net {

/// Where a listener is to listen.
struct listening_place {
  /// `unix:PATH` is a unix socket, without a port.
  std::string host;
  std::uint16_t port = 0;
  /// One that listens there already, and that others may have, too; none when it is below zero.
  int socket = -1;
};

/// Listens on an address, for plain HTTP or for TLS, and shares the connections out over the threads, in turn.
///
/// Constructed means listening: clients may connect, and wait until `accept`. Destroying it stops accepting and closes
/// every connection; callable from any thread but the io threads.
class listener {
public:
  using thread_list = std::vector<std::unique_ptr<io_thread>>;
  /// Some of a list that outlives the listener and does not change meanwhile.
  using thread_range = std::span<const std::unique_ptr<io_thread>>;

  /// Clients on a unix socket have no address. Only the user of this process can connect to one that it opens, whose
  /// file goes when accepting ends. A socket that it is given it closes; those who connect to it after that, and who
  /// have not been accepted, are left to whoever else has it. `totals` are of its connections, and may be looked at
  /// from any thread, also after its end. Throws `std::runtime_error` with one line that says why it cannot listen.
  listener(thread_range threads, const listening_place& place, connection_totals totals = connection_totals{},
           std::shared_ptr<server_tls> tls = nullptr);
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  /// 0 for a unix socket.
  std::uint16_t port() const { return port_; }
  /// The numeric address; empty for a unix socket.
  const std::string& address() const { return address_; }
  /// Whether only this machine can reach it.
  bool is_loopback() const { return is_loopback_; }

  /// The socket, once more, for another process; the caller's to close. -1 when no descriptor is left. Not while it
  /// drains.
  int duplicate() const;

  /// Begins to accept. Each taker runs on the thread of that number.
  void accept(const connection_limits& limits, const std::function<exchange_taker(std::size_t thread)>& taker_of);
  /// Goes on, but each answer is the last on its connection: clients and load balancers come to know other ways.
  void leave();
  /// Whether no request has come for so long since.
  bool is_quiet(std::chrono::milliseconds time) const;
  /// Whether the answer to a request that had come by then is not complete: it has not begun, or is an open stream.
  bool is_answering_since(io_thread::clock::time_point when) const;
  /// Stops accepting. Connections that wait for another request are closed, each other one after its answer. Nobody is
  /// cut off who has connected already: one request is answered.
  void drain();
  /// The same when others have the socket, too, and see to those who connect from now on; waits a moment for what is
  /// asked on connections that are there. Does nothing otherwise.
  void drain_for_others();
  /// Accepts nobody any more, as another process does from now on that has the socket. Connections that are there go
  /// on, but each answer is the last on its connection.
  void hand_over();
  /// Waits until every connection is closed, at most that long; whether they are. Blocks the caller.
  bool wait_until_closed(std::chrono::milliseconds limit);

private:
  class acceptor;

  thread_range threads_;
  std::shared_ptr<acceptor> acceptor_;
  connection_totals totals_;
  std::vector<std::shared_ptr<connections>> connections_;
  std::uint16_t port_ = 0;
  std::string address_;
  bool is_loopback_ = false;
  bool is_handed_over_ = false;
};

} // namespace troupe::net
