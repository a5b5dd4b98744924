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

/// The bytes of a TCP connection, plain or in TLS, with a server or with another node.
///
/// Lives on the thread of its executor, and never blocks. Owned together by those who use it, and by its own operations
/// while they last. Nobody is told anything from inside a call to it, nor after `leave` or `close`. Destroying it
/// closes it.
class byte_stream : public std::enable_shared_from_this<byte_stream> {
public:
  using tcp = boost::asio::ip::tcp;
  using error_code = boost::system::error_code;
  using tls_context = std::shared_ptr<boost::asio::ssl::context>;
  using tls_side = boost::asio::ssl::stream_base::handshake_type;
  using on_done = std::function<void(error_code error)>;
  /// Why it is not connected: the cause, and one line that names the host.
  using on_connected = std::function<void(error_code error, const std::string& why_not)>;
  /// The bytes stay until the next are asked for. The end of the stream is an error, too.
  using on_bytes = std::function<void(error_code error, std::string_view bytes)>;

  static constexpr std::size_t read_size = 16 * 1024;

  /// Connected, or not yet.
  explicit byte_stream(tcp::socket socket);
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;

  const tcp::socket::executor_type& executor() { return socket_.get_executor(); }

  // -- beginning
  /// Looks up the host's name and tries its addresses in turn, within a time that they share; 0 is as long as it takes.
  /// The limit of the whole is the caller's to keep.
  void connect(protocol::host_port to, std::chrono::milliseconds time, on_connected then, reach may = reach::any);
  /// Notices that the other side vanished without a word, even when nothing is said for hours.
  void keep_alive();
  /// TLS from now on. What is to be asked of the other side is asked of what this returns, before the handshake.
  SSL* begin_tls(tls_context with);
  void handshake(tls_side as, on_done then);
  SSL* tls() { return tls_->native_handle(); }

  // -- reading
  /// Waits for some bytes, at most so many. Who asks while another waits takes its place, and is given at most what the
  /// other asked for.
  void read(on_bytes then, std::size_t most = read_size);
  /// Whether it can carry a call: open, and the other side has said nothing unasked.
  bool is_quiet();

  // -- writing: in one of these three ways at a time
  /// Writes two texts that stay where they are until `progress` is destroyed, even when the stream is closed before;
  /// it is told each time that some of them got out. Who is not read any more learns that from reading.
  void write(const std::string& head, const std::string& body, std::function<void()> progress);
  /// Whether all of them is written.
  bool is_written() const { return !is_writing_; }
  /// Writes bytes that stay where they are until `then` is destroyed, even when the stream is closed before.
  void write(boost::asio::const_buffer what, on_done then);
  /// Writes a text after those sent before; what waits meanwhile is one write. Who asked last is told when all is sent,
  /// or none of it will be any more. An empty text is none.
  void send(std::string text, std::function<void()> all_sent = nullptr);
  bool is_sending() const { return queue_.is_writing(); }

  // -- giving the connection away
  /// Of a stream in TLS that nobody reads or writes: it is over here, unless its socket comes back.
  secure_connection release();
  /// Only to `leave` or `close`.
  void take_back(owned_descriptor socket);

  // -- ending
  /// Says no more, and tells when the other side has heard it all and ends, too. What it still says is dropped: to
  /// close on it would take from it what it has not read yet (RFC 1122, 4.2.2.13).
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
  /// A write of any of the three ways is under way.
  bool is_busy_ = false;
  bool is_left_ = false;
  bool is_closed_ = false;
};

/// Why a stream ended, in one line; empty when its other side ended it in order.
std::string why_ended(const boost::system::error_code& error);

} // namespace troupe::net
