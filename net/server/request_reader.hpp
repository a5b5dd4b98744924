#pragma once

#include "net/server/limits.hpp"
#include "net/server/request_parser.hpp"
#include "protocol/http/http.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace troupe::net {

/// Reads the requests of one connection: takes bytes as they arrive, and gives one request after another. The header is
/// parsed, and stays, where it arrived.
///
/// Keeps its memory for the next request, unless that was much. Lives on the thread of its connection; never blocks.
class request_reader {
public:
  /// `limits` outlive this.
  explicit request_reader(const connection_limits& limits) : limits_{limits} {}
  // The parser refers to its request.
  request_reader(const request_reader&) = delete;
  request_reader& operator=(const request_reader&) = delete;

  // -- what arrives
  /// Room for bytes that are about to arrive, valid until the next call.
  boost::asio::mutable_buffer room(std::size_t size) { return unread_.prepare(size); }
  /// So many have arrived there.
  void arrived(std::size_t size) { unread_.commit(size); }
  /// Some have arrived elsewhere.
  void append(std::string_view bytes);
  /// Bytes that are not read: of a header that is incomplete, of a chunk's header, or of the next request.
  std::size_t unread() const { return unread_.size(); }

  // -- the request
  /// Drops the empty lines that may come before a request (RFC 9112, 2.2).
  void skip_empty_lines();
  /// Reads on, as far as what has arrived goes. An error ends the connection: after it nothing more can be read.
  boost::system::error_code read();
  /// The same with bytes that have arrived elsewhere, for the body: it is not kept twice.
  boost::system::error_code read_body(std::string_view bytes);
  bool has_begun() const { return parser_.has_value(); }
  bool is_header_done() const { return parser_ && parser_->is_header_done(); }
  bool is_done() const { return parser_ && parser_->is_done(); }
  bool keeps_alive() const { return parser_->keep_alive(); }
  /// Whether its answer may be chunked.
  bool takes_chunks() const { return parser_->version() >= 11; }
  /// Whether the client wants to be told that it may send the body.
  bool awaits_continue() const;
  /// The views are valid until `forget`.
  protocol::http_request& request() { return request_; }
  /// Forgets the request that was read, and is ready for the next.
  void forget();

private:
  boost::system::error_code read_header();
  boost::system::error_code keep_header();
  std::span<char> unread_bytes();
  boost::system::error_code checked(boost::system::error_code error) const;

  const connection_limits& limits_;
  /// Of an incomplete header all, although the parser has read some of it.
  boost::beast::flat_buffer unread_;
  /// The header of the request.
  boost::beast::flat_buffer header_;
  protocol::http_request request_;
  std::vector<request_parser::field_place> fields_;
  std::optional<request_parser> parser_;
  /// How much of an incomplete header the parser has read.
  std::size_t parsed_ = 0;
};

} // namespace troupe::net
