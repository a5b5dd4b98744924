#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <utility>

namespace troupe::net {

/// The bytes of a TCP connection, plain or in TLS: a stream as Asio's operations take them, and as cheap as what is
/// below it.
///
/// Lives on one thread; never blocks. Its owner keeps it until what it began is over.
class byte_stream {
public:
  using tcp = boost::asio::ip::tcp;
  using tls = boost::asio::ssl::stream<tcp::socket&>;
  using executor_type = tcp::socket::executor_type;

  explicit byte_stream(tcp::socket socket) : socket_{std::move(socket)} {}
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }
  tcp::socket& socket() { return socket_; }

  /// TLS from now on, which begins with its handshake.
  tls& secure(boost::asio::ssl::context& with) { return tls_.emplace(socket_, with); }
  bool is_secure() const { return tls_.has_value(); }

  template <class Buffers, class Then>
  void async_read_some(const Buffers& to, Then&& then) {
    if (tls_)
      tls_->async_read_some(to, std::forward<Then>(then));
    else
      socket_.async_read_some(to, std::forward<Then>(then));
  }
  template <class Buffers, class Then>
  void async_write_some(const Buffers& what, Then&& then) {
    if (tls_)
      tls_->async_write_some(what, std::forward<Then>(then));
    else
      socket_.async_write_some(what, std::forward<Then>(then));
  }
  /// What a non-blocking socket takes at once; TLS takes nothing without an operation.
  template <class Buffers>
  std::size_t write_some(const Buffers& what, boost::system::error_code& error) {
    return tls_ ? 0 : socket_.write_some(what, error);
  }

  void close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

private:
  tcp::socket socket_;
  std::optional<tls> tls_;
};

} // namespace troupe::net
