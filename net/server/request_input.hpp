#pragma once

#include "net/io_thread.hpp"
#include "net/server/connection_limits.hpp"
#include "net/server/connection_socket.hpp"
#include "protocol/http/http.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  boost::beast::flat_buffer header_;
  protocol::http_request request_;
  std::vector<request_parser::field_place> fields_;
  std::optional<request_parser> parser_;
  /// Bytes of an incomplete header that the parser has read.
  std::size_t parsed_ = 0;
};

/// Input of a connection: its pending read, the request that arrives, and the bytes behind it. Rests between requests:
/// then it has no memory, and waits without a buffer.
///
/// Has a reader from the first bytes of a request until the request is forgotten and the input rests. At most one read
/// is pending. Lives on the thread of its connection, which keeps it alive during a read.
class request_input {
public:
  using time_point = io_thread::clock::time_point;

  // -- the pending read
  bool is_pending() const { return reading_; }
  /// Waits without a buffer: costs a system call, but no memory. Bytes held by TLS wait for other work of this turn,
  /// unless they are not `wanted`.
  template <class Done>
  void await(connection_socket& from, io_thread& thread, bool wanted, Done done) {
    reading_ = true;
    if (wanted && from.has_decrypted())
      return thread.post([done = std::move(done)] { done(boost::system::error_code{}); });
    from.await_readable([&thread, done = std::move(done)](auto error) {
      const io_thread::turn event{thread};
      done(error);
    });
  }
  /// Reads into the reader. Only for a plain connection, and if it `may_receive`.
  template <class Done>
  void receive(connection_socket& from, io_thread& thread, Done done) {
    reading_ = receiving_ = true;
    from.receive(reader_->room(receive_size), [&thread, done = std::move(done)](auto error, auto size) {
      const io_thread::turn event{thread};
      done(error, size);
    });
  }
  void end_read() { reading_ = receiving_ = false; }
  /// Whether to read with a buffer. Unread input would have to stay in place meanwhile, so there must be none. The body
  /// of a request is read in larger pieces.
  bool may_receive(bool is_answering) const;

  // -- bytes
  /// Adds bytes that have arrived elsewhere.
  void append(std::string_view bytes, const connection_limits& limits) { reader(limits).append(bytes); }
  /// Adds the bytes that the pending read has put into the reader.
  void arrived(std::size_t size) { reader_->arrived(size); }
  std::size_t unread() const { return reader_ ? reader_->unread() : 0; }

  // -- the request
  /// Returns the reader. Only while the input does not rest.
  request_reader& reader() { return *reader_; }
  /// Returns the reader; a new one if the input rests. `limits` outlive it.
  request_reader& reader(const connection_limits& limits);
  bool has_begun() const { return reader_ && reader_->has_begun(); }
  /// Whether the body is to arrive from now on; true once for a request.
  bool begins_body() { return reader_->is_header_done() && !std::exchange(body_begun_, true); }
  bool is_in_body() const { return body_begun_; }
  void forget();
  /// Forgets the request while the next one may be long in coming: gives back the memory, too, if it is free.
  void forget_for_long();

  // -- rest
  /// Time to rest; max() for none.
  time_point rests_at() const { return rest_at_; }
  void rest_at(time_point when) { rest_at_ = when; }
  void never_rest() { rest_at_ = time_point::max(); }
  /// Rests at once, if that is allowed. True if the pending read, which has a buffer, is to be ended for that.
  bool rest(bool is_allowed);
  /// Gives back the memory, with all unread bytes. Never while a read has a buffer.
  void drop() { reader_.reset(); }

private:
  /// Size of a read with a buffer: more than most requests have.
  static constexpr std::size_t receive_size = 2048;

  /// Null while the connection rests.
  std::unique_ptr<request_reader> reader_;
  bool reading_ = false;
  /// Whether the pending read has a buffer.
  bool receiving_ = false;
  bool body_begun_ = false;
  /// Time when a connection that waits for a request is to rest.
  time_point rest_at_ = time_point::max();
};

} // namespace troupe::net
