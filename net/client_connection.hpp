#pragma once

#include "net/write_queue.hpp"
#include "protocol/text/url.hpp"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// A connection to a server, plain or in TLS, that carries one call after the other.
///
/// Lives on one thread, kept alive by its own operations; never blocks. Whoever waits is told in one line what went
/// wrong, never from inside a call to it; after `close` nobody is told anything.
class client_connection : public std::enable_shared_from_this<client_connection> {
public:
  using on_connected = std::function<void(std::string why_not)>;
  /// No bytes, and then no reason, are the end in order.
  using on_bytes = std::function<void(std::string_view bytes, std::string why_lost)>;

  client_connection(boost::asio::io_context& context, protocol::http_url to);
  client_connection(const client_connection&) = delete;
  client_connection& operator=(const client_connection&) = delete;

  /// Tries the server's addresses in turn, within a time that they share; 0 is as long as it takes. Who asked keeps the
  /// limit of the whole.
  void connect(std::shared_ptr<boost::asio::ssl::context> tls, std::chrono::milliseconds time, on_connected then);
  /// Writes texts that stay where they are until all is written or the connection closes; `progress` is told each time
  /// that some of it got out. Who is not read any more learns that from reading.
  void write(const std::string& head, const std::string& body, std::function<void()> progress);
  /// Writes a text after those sent before it; what waits meanwhile is one write.
  void send(std::string text);
  /// Waits for bytes. Who asks while another waits takes its place.
  void read(on_bytes then);
  void close();

  /// Whether all that `write` was given is written.
  bool is_written() const { return !writing_; }
  /// Whether it can carry a call: open, and the server has said nothing unasked.
  bool is_quiet();
  const protocol::http_url& to() const { return to_; }

private:
  using tcp = boost::asio::ip::tcp;

  template <class Operation>
  void with_stream(Operation operation);
  void resolve();
  void try_each(std::vector<tcp::endpoint> addresses);
  void try_next();
  void pass_over_later();
  void on_tcp(boost::system::error_code error);
  void handshake();
  void finish_connecting(std::string why_not);
  void finish_later(std::string why_not);
  void on_read(boost::system::error_code error, std::size_t size);
  void write_on();
  void on_sent();

  boost::asio::io_context& context_;
  protocol::http_url to_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::chrono::milliseconds time_{0};
  std::shared_ptr<boost::asio::ssl::context> tls_;
  std::optional<boost::asio::ssl::stream<tcp::socket&>> tls_stream_;
  /// Those not yet tried, the next one last.
  std::vector<tcp::endpoint> addresses_;
  std::string why_not_;
  on_connected connected_;
  on_bytes read_;
  std::array<char, 16 * 1024> buffer_;
  write_queue queue_;
  bool is_trying_ = true;
  bool reading_ = false;
  bool writing_ = false;
  bool closed_ = false;
};

} // namespace troupe::net
