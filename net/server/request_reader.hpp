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

/// Beast parser of one request, which leaves the header in place and copies only the body.
///
/// Parts of the header are kept as offsets into the parsed buffer, because the buffer may move to other memory while
/// the header is incomplete.
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

  /// Writes to `fields` and `body`, which outlive this. Fields that come after the body have at most `most_behind`
  /// bytes together.
  request_parser(std::vector<field_place>& fields, std::string& body, std::size_t most_behind)
      : fields_{fields}, body_{body}, most_behind_{most_behind} {}

  /// Sets where the buffer is now. Called before each `put` until the header is done.
  void set_buffer(std::span<char> buffer) { buffer_ = buffer; }
  /// Describes a header that is done, by views into the buffer at its present place.
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

/// Reads the requests of one connection: takes bytes as they arrive, and returns one request after another. The header
/// is parsed, and stays, where it arrived.
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
  /// Returns room for bytes that are about to arrive, valid until the next call.
  boost::asio::mutable_buffer room(std::size_t size) { return unread_.prepare(size); }
  /// Adds the bytes that have arrived in that room.
  void arrived(std::size_t size) { unread_.commit(size); }
  /// Adds bytes that have arrived elsewhere.
  void append(std::string_view bytes);
  /// Number of unread bytes: of an incomplete header, of a chunk's header, or of the next request.
  std::size_t unread() const { return unread_.size(); }

  // -- the request
  /// Drops the empty lines that may come before a request (RFC 9112, 2.2).
  void skip_empty_lines();
  /// Reads on, as far as the input goes. An error ends the connection: nothing more can be read after it.
  boost::system::error_code read();
  /// Reads bytes of the body that have arrived elsewhere, which saves a copy.
  boost::system::error_code read_body(std::string_view bytes);
  bool has_begun() const { return parser_.has_value(); }
  bool is_header_done() const { return parser_ && parser_->is_header_done(); }
  bool is_done() const { return parser_ && parser_->is_done(); }
  bool keeps_alive() const { return parser_->keep_alive(); }
  /// Whether the answer may be chunked.
  bool takes_chunks() const { return parser_->version() >= 11; }
  /// Whether the client waits for `100 Continue` before it sends the body.
  bool awaits_continue() const;
  /// Request that was read; its views are valid until `forget`.
  protocol::http_request& request() { return request_; }
  /// Drops the request that was read, and is ready for the next.
  void forget();

private:
  boost::system::error_code read_header();
  boost::system::error_code keep_header();
  std::span<char> unread_bytes();
  boost::system::error_code checked(boost::system::error_code error) const;

  const connection_limits& limits_;
  /// Unread input; all of an incomplete header, although the parser has read some of it.
  boost::beast::flat_buffer unread_;
  /// The header of the request.
  boost::beast::flat_buffer header_;
  protocol::http_request request_;
  std::vector<request_parser::field_place> fields_;
  std::optional<request_parser> parser_;
  /// Bytes of an incomplete header that the parser has read.
  std::size_t parsed_ = 0;
};

} // namespace troupe::net
