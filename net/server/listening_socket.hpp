#pragma once

#include "net/owned_descriptor.hpp"
#include "protocol/text/host_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace troupe::net {

/// A unix socket that listens at a path, which only the user of this process can connect to.
///
/// A file that was left there by one that nobody listens to any more is replaced. Destroying it removes the file,
/// unless it is another's by now. Used by one thread at a time.
class unix_socket {
public:
  /// Throws `std::runtime_error` with one line that says why it cannot listen.
  explicit unix_socket(std::string path);
  ~unix_socket();
  unix_socket(const unix_socket&) = delete;
  unix_socket& operator=(const unix_socket&) = delete;

  /// The socket itself, as an acceptor that TCP has too: what they accept is the same to who reads and writes.
  boost::asio::ip::tcp::acceptor release(boost::asio::io_context& context);
  /// The file stays, as another process listens there.
  void keep_file() { is_kept_ = true; }

private:
  void make_way() const;
  void listen();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  owned_descriptor socket_;
  /// Which file it is.
  std::uint64_t device_ = 0;
  std::uint64_t number_ = 0;
  bool is_kept_ = false;
};

/// Whether an address that the kernel told is no address, but of a unix socket.
bool is_of_unix_socket(const boost::asio::ip::tcp::endpoint& address);

// A socket that listens already when this process begins, because another one has opened it. Others may go on to have
// it: what one sets on it counts for all, and one that is closed here goes on to listen there.

/// Where it listens: a numeric address, or `unix:PATH` without a port. Throws `std::runtime_error` with one line that
/// says why nobody can be accepted from it.
protocol::host_port place_of(int socket);

/// Takes it over from the caller: the acceptor closes it, and processes that are started do not get it. Throws as
/// `place_of` does; then it is the caller's.
boost::asio::ip::tcp::acceptor take_over(boost::asio::io_context& context, int socket);

} // namespace troupe::net
