#pragma once

#include "net/tcp_connect.hpp"
#include "net/tls.hpp"
#include "net/write_queue.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// Byte stream over a TCP connection, plain or TLS, to a server or another node.
///
/// Runs on the thread of its executor and never blocks. Its users and its pending operations own it together. No
/// callback runs inside a call to it, nor after `leave` (except its own) or `close`. Destroying it closes the
/// connection.
class byte_stream : public std::enable_shared_from_this<byte_stream> {
public:
  using tcp = boost::asio::ip::tcp;
  using error_code = boost::system::error_code;
  using tls_context = std::shared_ptr<boost::asio::ssl::context>;
  using tls_side = boost::asio::ssl::stream_base::handshake_type;
  using on_done = std::function<void(error_code error)>;
  /// Called without an error when connected; otherwise with the cause, and one line that names the host.
  using on_connected = std::function<void(error_code error, const std::string& why_not)>;
  /// Receives bytes, which stay valid until the next `read`. The end of the stream is reported as an error, too.
  using on_bytes = std::function<void(error_code error, std::string_view bytes)>;

  static constexpr std::size_t read_size = 16 * 1024;

  /// Takes a socket that is connected, or one for `connect`.
  explicit byte_stream(tcp::socket socket);
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;

  const tcp::socket::executor_type& executor() { return socket_.get_executor(); }

  // -- beginning
  /// Looks up the host's name and tries its addresses in turn. The addresses share `time`; 0 means no limit. The caller
  /// enforces the limit of the whole.
  void connect(protocol::host_port to, std::chrono::milliseconds time, on_connected then, reach may = reach::any);
  /// Enables TCP keepalive, to notice a peer that vanished even when nothing is sent for hours.
  void keep_alive();
  /// Switches to TLS. Set the requirements for the peer on the returned handle, before the handshake.
  SSL* begin_tls(tls_context with);
  void handshake(tls_side as, on_done then);
  SSL* tls() { return tls_->native_handle(); }

  // -- reading
  /// Waits for at most `most` bytes. If a read is pending, `then` replaces its callback, and the pending read's limit
  /// still applies.
  void read(on_bytes then, std::size_t most = read_size);
  /// Whether the connection can carry a call: it is open, and the peer has sent nothing unasked.
  bool is_quiet();

  // -- writing: in one of these three ways at a time
  /// Writes two texts, which stay in place until `progress` is destroyed, even if the stream is closed before. Each
  /// time bytes were written, `progress` is called. A write error shows only in `read`.
  void write(const std::string& head, const std::string& body, std::function<void()> progress);
  /// Whether both texts are written.
  bool is_written() const { return !is_writing_; }
  /// Writes bytes, which stay in place until `then` is destroyed, even if the stream is closed before.
  void write(boost::asio::const_buffer what, on_done then);
  /// Queues a text; waiting texts go out as one write. Only the latest `all_sent` is called, once all is sent or no
  /// longer can be. An empty text is ignored.
  void send(std::string text, std::function<void()> all_sent = nullptr);
  bool is_sending() const { return queue_.is_writing(); }

  // -- giving the connection away
  /// Gives a TLS connection away, without a pending read or write. The stream is over, unless its socket comes back.
  secure_connection release();
  /// Takes the socket back, only for `leave` or `close`.
  void take_back(owned_descriptor socket);

  // -- ending
  /// Shuts down sending; calls `ended` once the peer ends, too. Its further input is dropped: an early close would
  /// destroy the data that it has not read yet (RFC 1122, 4.2.2.13).
  void leave(std::function<void()> ended);
  void close();

private:
  template <class Operation>
  void with_stream(Operation operation);
  template <class Buffers, class Progress, class Then>
  void write_all(const Buffers& what, Progress progress, Then then);
  void on_connect(error_code error, tcp::socket socket);
  void stop_connecting();
  void on_read(error_code error, std::size_t size);
  std::size_t next_piece(const error_code& error) const;
  void send_on();
  void on_sent(error_code error);
  void drop_rest();
  void on_rest(error_code error);
  bool is_over() const { return is_left_ || is_closed_; }

  tcp::socket socket_;
  std::shared_ptr<tcp_connect> connecting_;
  tls_context tls_context_;
  std::optional<boost::asio::ssl::stream<tcp::socket&>> tls_;
  std::vector<char> buffer_;
  on_bytes read_;
  write_queue queue_;
  std::function<void()> all_sent_;
  std::function<void()> ended_;
  bool is_reading_ = false;
  bool is_writing_ = false;
  /// Whether a write of any of the three kinds is under way.
  bool is_busy_ = false;
  bool is_left_ = false;
  bool is_closed_ = false;
};

/// Returns why a stream ended, in one line; empty if the peer ended it in order.
std::string why_ended(const boost::system::error_code& error);

} // namespace troupe::net
