#pragma once

#include "net/owned_descriptor.hpp"
#include "protocol/text/host_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>

namespace troupe::net {

/// Unix socket that listens at a path, and to which only the user of this process can connect.
///
/// Replaces a file left there by a socket that no longer listens. Destroying it removes the file, unless that is
/// another socket's by now. Used by one thread at a time.
class unix_socket {
public:
  /// Throws `std::runtime_error` with one line that says why it cannot listen.
  explicit unix_socket(std::string path);
  ~unix_socket();
  unix_socket(const unix_socket&) = delete;
  unix_socket& operator=(const unix_socket&) = delete;

  /// Gives the socket away as a TCP acceptor: accepted sockets of both kinds are read and written alike.
  boost::asio::ip::tcp::acceptor release(boost::asio::io_context& context);
  /// Sets whether the destructor keeps the file, because another process listens there.
  void keep_file(bool is_kept) { is_kept_ = is_kept; }

private:
  void make_way() const;
  void listen();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  owned_descriptor socket_;
  /// Device and inode of the file.
  std::uint64_t device_ = 0;
  std::uint64_t number_ = 0;
  bool is_kept_ = false;
};

/// Whether an address from the kernel is that of a unix socket, and so no TCP address.
bool is_of_unix_socket(const boost::asio::ip::tcp::endpoint& address);

// Sockets that listen already when this process begins, because another process has opened them. Others may keep them:
// an option set here counts for all, and a socket closed here goes on to listen there.

/// Returns where a socket listens: a numeric address, or `unix:PATH` without a port. Throws `std::runtime_error` with
/// one line that says why no client can be accepted from it.
protocol::host_port place_of(int socket);

/// Takes a socket over from the caller: the acceptor closes it, and child processes do not get it. Throws as `place_of`
/// does; then the caller keeps it.
boost::asio::ip::tcp::acceptor take_over(boost::asio::io_context& context, int socket);

} // namespace troupe::net
