#pragma once

#include "tests/bench/floor_http.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::bench {

/// A connection to a floor: requests and answers in turn.
class floor_connection : public std::enable_shared_from_this<floor_connection> {
public:
  floor_connection(boost::asio::ip::tcp::socket socket, floor_server& server);
  ~floor_connection();
  floor_connection(const floor_connection&) = delete;
  floor_connection& operator=(const floor_connection&) = delete;

  void begin() { do_read(); }
  /// Blocks until the bytes are in the socket's buffer. Used for streams.
  void send(std::string_view bytes);

private:
  void do_read();
  void on_read();
  void on_post();
  void answer_canned(std::string_view id);
  void begin_stream();
  void do_wait_for_end();
  void respond(boost::beast::http::status status, std::string body);

  boost::asio::ip::tcp::socket socket_;
  floor_server& server_;
  std::shared_ptr<floor_child> child_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  boost::beast::http::response<boost::beast::http::string_body> response_;
  char unexpected_ = 0;
};

} // namespace troupe::bench
