#pragma once

#include "net/server/connection_tls.hpp"
#include "net/write_queue.hpp"
#include "protocol/http/http.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace troupe::net {

/// Socket of a client's connection, over TCP or a unix socket: all bytes go through TLS, unless the connection is
/// plain.
///
/// Lives on the thread of its connection, and moves with it; never blocks. `done` of each operation is called on that
/// thread, outside of its turns, and keeps the socket alive.
class connection_socket {
public:
  using error_code = boost::system::error_code;

  /// Takes an accepted socket. Without `tls` it is plain.
  connection_socket(boost::asio::ip::tcp::socket socket, std::unique_ptr<connection_tls> tls)
      : socket_{std::move(socket)}, tls_{std::move(tls)} {}
  connection_socket(const connection_socket&) = delete;
  connection_socket& operator=(const connection_socket&) = delete;

  // -- the client
  /// Prepares to read and to write, and notes the client's address. The kernel gives up on a client that acknowledges
  /// nothing for `most_silence`.
  void open(std::chrono::milliseconds most_silence);
  /// Prepares to write what a socket that is closed at once can still send, or to go on after a move.
  error_code never_block();
  /// Says in a request which client sent it; the request refers to this object.
  void describe_client(protocol::http_request& to) const;
  /// Null when the connection is plain.
  connection_tls* tls() const { return tls_.get(); }

  // -- reading
  /// Waits until there is something to read.
  template <class Done>
  void await_readable(Done done) {
    const auto awaits_writing = tls_ && tls_->awaits_writing();
    socket_.async_wait(awaits_writing ? socket::wait_write : socket::wait_read, std::move(done));
  }
  /// Reads into `to`, which stays until `done`. Only for a plain connection.
  template <class Done>
  void receive(boost::asio::mutable_buffer to, Done done) {
    socket_.async_receive(to, std::move(done));
  }
  /// Ends the pending read.
  void end_read();
  std::size_t read_some(std::span<char> to, error_code& error);
  /// Reads bytes as they arrive: input that will be dropped is not decrypted.
  std::size_t receive_some(std::span<char> to, error_code& error);
  /// Whether TLS has bytes left to read, of which the socket gives no sign.
  bool has_decrypted() const { return tls_ && tls_->has_unread(); }
  /// Whether there is something to read now.
  bool has_unread() const;

  // -- writing
  /// Writes what the client takes at once.
  template <class Buffers>
  std::size_t write_some(const Buffers& from, error_code& error) {
    return tls_ ? tls_->write_some(from, error) : socket_.write_some(from, error);
  }
  /// Writes the rest of a write, whose texts stay until `done`.
  template <class Done>
  void write(const write_queue::rest& rest, Done done) {
    if (tls_) {
      tls_->keep(rest);
      return write_kept(std::move(done));
    }
    auto piece = [](error_code error, std::size_t) { return error ? 0 : piece_size; };
    boost::asio::async_write(socket_, rest, piece,
                             [done = std::move(done)](auto error, std::size_t) mutable { done(error); });
  }

  // -- the end
  /// Sends the end of TLS, if there is any.
  void send_close_notify();
  /// Sends the end; the client may go on to send.
  void end_sending();
  void close();
  /// Takes the socket to another thread. After an error it is still on this one.
  error_code move_to(boost::asio::io_context& context);

private:
  using socket = boost::asio::ip::tcp::socket;

  static constexpr std::size_t piece_size = 1024 * 1024;

  template <class Done>
  void write_kept(Done done) {
    socket_.async_wait(socket::wait_write, [this, done = std::move(done)](error_code error) mutable {
      if (!error && socket_.is_open() && !tls_->write_kept(error))
        return write_kept(std::move(done));
      done(error);
    });
  }

  socket socket_;
  /// Null when the connection is plain.
  std::unique_ptr<connection_tls> tls_;
  std::string peer_;
  bool is_local_ = false;
};

} // namespace troupe::net
