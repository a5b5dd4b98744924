#include "net/server/request_input.hpp"

#include "net/feed_parser.hpp"
#include "protocol/text/words.hpp"

#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <functional>
#include <limits>

namespace troupe::net {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

/// Most bytes that are reserved for a body of announced size before it arrives.
constexpr std::size_t most_reserved = 64 * 1024;

/// Room for additions to a message on its way: ids of ours, the end of its line.
constexpr std::size_t room_for_ids = 64;

/// Memory that stays for the next request: bytes of each buffer, and fields of the list.
constexpr std::size_t most_bytes_kept = 8 * 1024;
constexpr std::size_t most_fields_kept = 64;

const auto not_supported = boost::system::errc::make_error_code(boost::system::errc::not_supported);

/// Refuses codings that we do not read: they hide where the next request begins. HTTP/1.0 has none: senders that pass
/// such a request on may not know one (RFC 9112, 6.1).
error_code transfer_coding_error(const protocol::http_request& request, bool is_http_1_1) {
  auto is_coding = [](const protocol::http_field& field) {
    return protocol::same_word(field.name, "Transfer-Encoding");
  };
  auto count = std::ranges::count_if(request.fields, is_coding);
  if (count == 0)
    return {};
  if (!is_http_1_1)
    return http::error::bad_transfer_encoding;
  auto is_chunked = count == 1 && protocol::same_word(request.field("Transfer-Encoding"), "chunked");
  return is_chunked ? error_code{} : not_supported;
}

} // namespace

void request_parser::describe(protocol::http_request& to) const {
  to.method = view_of(method_);
  to.target = view_of(target_);
  to.fields.clear();
  for (auto& [name, value] : fields_)
    to.fields.push_back({view_of(name), view_of(value)});
}

request_parser::place request_parser::place_of(text part) const {
  return {static_cast<std::uint32_t>(part.data() - buffer_.data()), static_cast<std::uint32_t>(part.size())};
}

bool request_parser::is_in_buffer(text part) const {
  return std::greater_equal<>{}(part.data(), buffer_.data()) &&
         std::less<>{}(part.data(), buffer_.data() + buffer_.size());
}

void request_parser::on_request_impl(boost::beast::http::verb, text method, text target, int version, error_code&) {
  method_ = place_of(method);
  target_ = place_of(target);
  version_ = static_cast<unsigned>(version);
  fields_.clear();
}

/// Stores a field. Trailers, which come after the body, are no header fields (RFC 9110, 6.5.1). A value folded over
/// lines (RFC 9112, 5.2) is unfolded in the parser's own memory; as it is shorter now, it fits in its old place.
void request_parser::on_field_impl(boost::beast::http::field, text name, text value, error_code& error) {
  if (is_header_done())
    return count_trailer(name.size() + value.size(), error);
  auto name_at = place_of(name);
  if (is_in_buffer(value) || value.empty())
    return fields_.push_back({name_at, value.empty() ? place{} : place_of(value)});
  place unfolded{name_at.at + name_at.size + 1, static_cast<std::uint32_t>(value.size())};
  std::copy(value.begin(), value.end(), buffer_.begin() + unfolded.at);
  fields_.push_back({name_at, unfolded});
}

void request_parser::count_trailer(std::size_t bytes, error_code& error) {
  if (bytes > most_behind_)
    error = boost::beast::http::error::header_limit;
  else
    most_behind_ -= bytes;
}

void request_parser::on_body_init_impl(const boost::optional<std::uint64_t>& size, error_code&) {
  if (size && *size != 0)
    body_.reserve(std::min<std::size_t>(*size, most_reserved) + room_for_ids);
}

std::size_t request_parser::on_body_impl(text bytes, error_code&) {
  body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

std::size_t request_parser::on_chunk_body_impl(std::uint64_t, text bytes, error_code& error) {
  return on_body_impl(bytes, error);
}

void request_reader::append(std::string_view bytes) {
  boost::asio::buffer_copy(unread_.prepare(bytes.size()), boost::asio::buffer(bytes));
  unread_.commit(bytes.size());
}

std::span<char> request_reader::unread_bytes() {
  auto bytes = unread_.data();
  return {static_cast<char*>(bytes.data()), bytes.size()};
}

void request_reader::skip_empty_lines() {
  if (has_begun())
    return;
  auto bytes = unread_bytes();
  auto is_line_end = [](char c) { return c == '\r' || c == '\n'; };
  unread_.consume(static_cast<std::size_t>(std::ranges::find_if_not(bytes, is_line_end) - bytes.begin()));
}

/// Empty input is no error: it waits like incomplete input.
error_code request_reader::read() {
  if (unread_.size() == 0)
    return {};
  if (!is_header_done())
    return read_header();
  error_code error;
  auto bytes = unread_bytes();
  unread_.consume(feed_parser(*parser_, std::string_view{bytes.data(), bytes.size()}, error));
  return checked(error);
}

error_code request_reader::read_body(std::string_view bytes) {
  if (unread_.size() != 0) {
    append(bytes);
    return read();
  }
  error_code error;
  append(bytes.substr(feed_parser(*parser_, bytes, error)));
  return checked(error);
}

/// Reads the header, up to its limit; the header determines where the body ends (RFC 9112, 6.3).
error_code request_reader::read_header() {
  if (!parser_) {
    parser_.emplace(fields_, request_.body, limits_.header);
    parser_->header_limit(std::numeric_limits<std::uint32_t>::max());
    parser_->body_limit(limits_.body);
  }
  error_code error;
  auto bytes = unread_bytes();
  parser_->set_buffer(bytes);
  auto rest = bytes.subspan(parsed_);
  parsed_ += feed_parser(*parser_, std::string_view{rest.data(), rest.size()}, error);
  if ((parser_->is_header_done() ? parsed_ : bytes.size()) > limits_.header)
    return http::error::header_limit;
  if (error)
    return checked(error);
  return keep_header();
}

/// Keeps the header where it is. The body that has arrived, most often all of it, is read from there, too.
error_code request_reader::keep_header() {
  parser_->describe(request_);
  if (auto bad = transfer_coding_error(request_, takes_chunks()))
    return bad;
  std::swap(unread_, header_);
  unread_.clear();
  parser_->eager(true);
  auto bytes = header_.data();
  auto rest = std::string_view{static_cast<const char*>(bytes.data()), bytes.size()}.substr(parsed_);
  error_code error;
  if (!parser_->is_done())
    rest.remove_prefix(rest.empty() ? 0 : feed_parser(*parser_, rest, error));
  append(rest);
  return checked(error);
}

/// Limits the unread rest of a body, which is no data but the beginning of a chunk, or trailers.
error_code request_reader::checked(error_code error) const {
  if (error != http::error::need_more)
    return error;
  return is_header_done() && unread_.size() > limits_.header ? http::error::header_limit : error_code{};
}

bool request_reader::awaits_continue() const { return protocol::same_word(request_.field("Expect"), "100-continue"); }

void request_reader::forget() {
  parser_.reset();
  parsed_ = 0;
  request_.method = request_.target = {};
  request_.fields.clear();
  request_.body = std::string{};
  header_.clear();
  if (header_.capacity() > most_bytes_kept)
    header_.shrink_to_fit();
  if (fields_.capacity() <= most_fields_kept)
    return;
  request_.fields.shrink_to_fit();
  fields_.clear();
  fields_.shrink_to_fit();
}

bool request_input::may_receive(bool is_answering) const {
  if (!reader_ || unread() != 0)
    return false;
  return is_answering ? reader_->request().method != "GET" : !body_begun_;
}

request_reader& request_input::reader(const connection_limits& limits) {
  if (!reader_)
    reader_ = std::make_unique<request_reader>(limits);
  return *reader_;
}

void request_input::forget() {
  body_begun_ = false;
  if (reader_)
    reader_->forget();
}

void request_input::forget_for_long() {
  forget();
  if (unread() == 0 && !receiving_)
    drop();
}

bool request_input::rest(bool is_allowed) {
  never_rest();
  if (is_allowed && !receiving_)
    drop();
  return is_allowed && receiving_;
}

} // namespace troupe::net
