#pragma once

#include "net/server/limits.hpp"
#include "protocol/http/http.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// Beast's parser of one request, which leaves the header where it stands and copies only the body.
///
/// The header's parts are kept as places in the buffer that is parsed, counted from its beginning: the buffer may be
/// moved to other memory while the header is incomplete.
class request_parser final : public boost::beast::http::basic_parser<true> {
public:
  /// A part of the header, in bytes from the beginning of the buffer.
  struct place {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  struct field_place {
    place name;
    place value;
  };

  /// The fields and the body go where is told, which outlives this. Fields that come after the body have that many
  /// bytes together at most.
  request_parser(std::vector<field_place>& fields, std::string& body, std::size_t most_behind)
      : fields_{fields}, body_{body}, most_behind_{most_behind} {}

  /// Where the buffer is now. Belongs before each `put` until the header is done.
  void set_buffer(std::span<char> buffer) { buffer_ = buffer; }
  /// The parts of a header that is done, as views into the buffer as it lies now.
  void describe(protocol::http_request& to) const;
  unsigned version() const { return version_; }

private:
  using error_code = boost::system::error_code;
  using text = boost::beast::string_view;
  place place_of(text part) const;
  bool is_in_buffer(text part) const;
  void count_trailer(std::size_t bytes, error_code& error);
  std::string_view view_of(place part) const { return {buffer_.data() + part.at, part.size}; }

  void on_request_impl(boost::beast::http::verb, text method, text target, int version, error_code& error) override;
  void on_response_impl(int, text, int, error_code&) override {}
  void on_field_impl(boost::beast::http::field, text name, text value, error_code& error) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& size, error_code& error) override;
  std::size_t on_body_impl(text bytes, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text bytes, error_code& error) override;
  void on_finish_impl(error_code&) override {}

  std::vector<field_place>& fields_;
  std::string& body_;
  std::size_t most_behind_;
  std::span<char> buffer_;
  place method_;
  place target_;
  unsigned version_ = 0;
};

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
