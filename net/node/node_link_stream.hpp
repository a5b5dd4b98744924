#pragma once

#include "net/byte_stream.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace troupe::net {

/// A TCP connection to another node, plain or in TLS.
///
/// Lives on one thread, kept alive by its own operations; never blocks. Nobody is told anything from inside a call to
/// it, nor after `leave` or `close`, but what waits keeps what it was given until then.
class node_link_stream : public std::enable_shared_from_this<node_link_stream> {
public:
  using tcp = boost::asio::ip::tcp;
  using error_code = boost::system::error_code;
  using on_moved = std::function<void(error_code error, std::size_t size)>;

  explicit node_link_stream(tcp::socket socket);
  node_link_stream(const node_link_stream&) = delete;
  node_link_stream& operator=(const node_link_stream&) = delete;

  void connect(const tcp::endpoint& to, std::function<void(error_code error)> then);
  /// TLS from now on, as its client or its server.
  void secure(boost::asio::ssl::context& tls, bool as_client,
              std::function<void(error_code error, std::string why_not)> then);
  /// Reads some, or writes all.
  void read(boost::asio::mutable_buffer where, on_moved then);
  void write(boost::asio::const_buffer what, on_moved then);

  /// Says no more and closes when the other side has heard it all and closes too, or after the limit; then tells. What
  /// the other side still says is dropped: to close on it would take from it what it has not read yet (RFC 1122,
  /// 4.2.2.13).
  void leave(std::chrono::milliseconds limit, std::function<void()> closed);
  void close();

private:
  void drop_rest();
  void finish();

  byte_stream stream_;
  boost::asio::steady_timer timer_;
  std::array<char, 4096> rest_;
  std::function<void()> closed_;
  bool is_reading_ = false;
  bool is_left_ = false;
};

} // namespace troupe::net
