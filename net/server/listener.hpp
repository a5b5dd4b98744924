#pragma once

#include "net/owned_descriptor.hpp"
#include "net/server/connections.hpp"
#include "net/server/server_tls.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace troupe::net {

/// Address to listen on, or a socket that listens already.
struct listening_place {
  /// Host, or `unix:PATH` for a unix socket, without a port.
  std::string host;
  std::uint16_t port = 0;
  /// Socket that listens there already, and that other processes may have, too; none when it is below zero.
  int socket = -1;
};

/// Listens on an address, for plain HTTP or TLS, and distributes the connections over the threads, in turn.
///
/// Constructed means listening: clients may connect, and wait until `accept`. Destroying it stops accepting and closes
/// every connection; callable from any thread but the io threads.
class listener {
public:
  using thread_list = std::vector<std::unique_ptr<io_thread>>;
  /// Part of a list that outlives the listener and does not change meanwhile.
  using thread_range = std::span<const std::unique_ptr<io_thread>>;

  /// A unix socket opened here accepts only this process's user, without an address; its file goes when accepting ends.
  /// A given socket is closed by the listener; clients not accepted by then are left to other processes that have it.
  /// `totals` are of its connections, and readable from any thread, also after its end. Throws `std::runtime_error`
  /// with one line that says why it cannot listen.
  listener(thread_range threads, const listening_place& place, connection_totals totals = connection_totals{},
           std::shared_ptr<server_tls> tls = nullptr);
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  /// Port; 0 for a unix socket.
  std::uint16_t port() const { return port_; }
  /// Numeric address; empty for a unix socket.
  const std::string& address() const { return address_; }
  /// Whether only this machine can reach the address.
  bool is_loopback() const { return is_loopback_; }

  /// Duplicates the socket for another process; the caller closes it. -1 when no descriptor is left. Not while it
  /// drains.
  int duplicate() const;

  /// Begins to accept. Each taker runs on the thread of that number.
  void accept(const connection_limits& limits, const std::function<exchange_callback(std::size_t thread)>& taker_of);
  /// Goes on, but each answer is the last on its connection: clients and load balancers turn elsewhere.
  void leave();
  /// Whether no request has come for so long since `leave`.
  bool is_quiet(std::chrono::milliseconds time) const { return totals_.count->is_quiet(time); }
  /// Whether an answer to a request received by then is incomplete: it has not begun, or is an open stream.
  bool is_answering_since(io_thread::clock::time_point when) const;
  /// Stops accepting. Connections that wait for another request are closed, each other one after its answer. A client
  /// that has connected already is still answered one request.
  void drain();
  /// Drains when other processes have the socket, too, and accept further clients; waits a moment for requests on open
  /// connections. Does nothing otherwise.
  void drain_for_others();
  /// Stops accepting, as another process that has the socket accepts from now on. Open connections go on, but each
  /// answer is the last on its connection.
  void hand_over();
  /// Accepts again, after `hand_over`, on a duplicate of the socket. Blocks the caller for a moment. Throws
  /// `std::runtime_error` when it cannot.
  void accept_again(owned_descriptor socket);
  /// Waits until every connection is closed, at most `limit`; returns whether all are. Blocks the caller.
  bool wait_until_closed(std::chrono::milliseconds limit) { return totals_.count->wait_until_empty(limit); }

private:
  class acceptor;

  thread_range threads_;
  std::shared_ptr<acceptor> acceptor_;
  connection_totals totals_;
  std::vector<std::shared_ptr<connections>> connections_;
  std::uint16_t port_ = 0;
  std::string address_;
  bool is_loopback_ = false;
  /// Whether other processes have the socket, too; and whether they had it from the start.
  bool is_handed_over_ = false;
  bool was_given_ = false;
};

} // namespace troupe::net
