#include "net/connection.hpp"

#include "net/connection_exchange.hpp"
#include "net/feed_parser.hpp"
#include "net/http_head.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <netinet/tcp.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

/// The kernel gives up on a peer that acknowledges nothing for this long.
void give_up_after(asio::ip::tcp::socket& socket, std::chrono::milliseconds time) {
  auto value = static_cast<unsigned>(time.count());
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value);
}

constexpr std::size_t read_size = 4096;
constexpr std::size_t body_read_size = 64 * 1024;
constexpr std::size_t max_write = 1024 * 1024;

std::vector<asio::const_buffer> buffers_of(const std::vector<std::string>& texts) {
  std::vector<asio::const_buffer> result;
  result.reserve(texts.size());
  for (auto& text : texts)
    result.emplace_back(asio::buffer(text));
  return result;
}

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

} // namespace

connection::connection(asio::ip::tcp::socket socket, std::shared_ptr<connections> owner)
    : socket_{std::move(socket)}, owner_{std::move(owner)} {}

connection::~connection() = default;

void connection::start() {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  give_up_after(socket_, owner_->limits().write_time);
  is_local_ = socket_.remote_endpoint(ignored).address().is_loopback();
  owner_->add(*this);
  if (owner_->draining())
    return close();
  next_request();
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  phase_ = phase::closed;
  ++exchange_number_;
  owner_->remove(*this);
  boost::system::error_code ignored;
  socket_.close(ignored);
  tell_later(std::exchange(tell_closed_, {}));
}

void connection::on_exchange_closed(std::uint64_t exchange_number, std::weak_ptr<std::function<void()>> tell) {
  if (exchange_number == exchange_number_)
    tell_closed_ = std::move(tell);
  else
    tell_later(std::move(tell));
}

void connection::tell_later(std::weak_ptr<std::function<void()>> tell) {
  if (tell.expired())
    return;
  owner_->thread().post([tell = std::move(tell)] {
    if (auto wanted = tell.lock())
      (*wanted)();
  });
}

void connection::close_when_idle() {
  keep_alive_ = false;
  if (is_idle() && unsent_.empty() && writing_.empty())
    close();
}

void connection::check_time(io_thread::clock::time_point now) {
  if (now >= write_deadline_)
    return close();
  if (now < deadline_ || (is_idle() && !writing_.empty()))
    return;
  if (phase_ == phase::reading && header_begun_)
    refuse(408, "Request Timeout: the request did not arrive in time");
  else
    close();
}

void connection::expect_within(std::chrono::milliseconds time) { deadline_ = io_thread::clock::now() + time; }

// -- reading -----------------------------------------------------------------------

void connection::do_read() {
  auto may_wait = phase_ != phase::reading && phase_ != phase::lingering;
  if (reading_ || is_held_back() || phase_ == phase::closed || (may_wait && input_.size() >= owner_->limits().header))
    return;
  reading_ = true;
  auto wanted = phase_ == phase::reading && body_begun_ ? body_read_size : read_size;
  if (arriving_.size() != wanted)
    arriving_ = std::vector<char>(wanted);
  socket_.async_read_some(asio::buffer(arriving_),
                          [self = shared_from_this()](auto error, auto size) { self->on_read(error, size); });
}

void connection::on_read(boost::system::error_code error, std::size_t size) {
  reading_ = false;
  if (phase_ == phase::closed)
    return;
  if (error)
    return close();
  if (phase_ != phase::lingering)
    input_.append(arriving_.data(), size);
  if (phase_ == phase::reading)
    parse();
  do_read();
}

/// Gives the parser what has arrived: perhaps a part of a request, perhaps more than one.
void connection::parse() {
  skip_empty_lines();
  if (input_.empty() || is_held_back())
    return;
  if (!header_begun_)
    expect_within(owner_->limits().header_time);
  header_begun_ = true;
  auto error = parser_->is_header_done() ? parse_body() : parse_header();
  if (error)
    refuse(error);
  else if (parser_->is_done())
    begin_exchange();
  else if (parser_->is_header_done() && !body_begun_)
    expect_body();
}

/// Before a request line (RFC 9112, 2.2).
void connection::skip_empty_lines() {
  if (!header_begun_)
    input_.erase(0, std::min(input_.find_first_not_of("\r\n"), input_.size()));
}

/// A header is not longer than its limit, and tells where the body ends (RFC 9112, 6.3).
boost::system::error_code connection::parse_header() {
  boost::system::error_code error;
  header_size_ += feed_parser(*parser_, input_, error);
  auto size = header_size_ + (parser_->is_header_done() ? 0 : input_.size());
  if (size > owner_->limits().header)
    return http::error::header_limit;
  if (error)
    return error == http::error::need_more ? boost::system::error_code{} : error;
  if (parser_->get().count(http::field::transfer_encoding) != 0 && !parser_->chunked())
    return http::error::bad_transfer_encoding;
  describe_request();
  parser_->eager(true);
  return parser_->is_done() ? error : parse_body();
}

/// What is left over is no data but the beginning of a chunk, or trailers.
boost::system::error_code connection::parse_body() {
  boost::system::error_code error;
  if (!input_.empty())
    feed_parser(*parser_, input_, error);
  if (error != http::error::need_more)
    return error;
  return input_.size() > owner_->limits().header ? http::error::header_limit : boost::system::error_code{};
}

void connection::expect_body() {
  body_begun_ = true;
  expect_within(owner_->limits().body_time);
  if (boost::beast::iequals(parser_->get()[http::field::expect], "100-continue"))
    enqueue("HTTP/1.1 100 Continue\r\n\r\n");
}

void connection::refuse(boost::system::error_code error) {
  if (error == http::error::body_limit)
    refuse(413, "Content Too Large: the body has more than " + std::to_string(owner_->limits().body) + " bytes");
  else if (error == http::error::header_limit)
    refuse(431, "Request Header Fields Too Large");
  else
    refuse(400, "Bad Request: " + error.message());
}

/// What cannot be read cannot be followed by another request either.
void connection::refuse(int status, std::string text) {
  keep_alive_ = false;
  ++exchange_number_;
  phase_ = phase::answering;
  deadline_ = io_thread::clock::time_point::max();
  respond(protocol::rejection_response({status, protocol::error_code::invalid_request, std::move(text)}));
}

void connection::begin_exchange() {
  deadline_ = io_thread::clock::time_point::max();
  phase_ = phase::answering;
  ++exchange_number_;
  make_abandoned_ = nullptr;
  request_.body = std::move(parser_->get().body());
  owner_->take(std::make_unique<connection_exchange>(shared_from_this()));
}

/// Before the body is read: fields that come after it, as trailers, are no header fields (RFC 9110, 6.5.1).
void connection::describe_request() {
  auto& message = parser_->get();
  keep_alive_ = message.keep_alive() && !owner_->draining();
  chunked_ = message.version() >= 11;
  request_.method = view_of(message.method_string());
  request_.target = view_of(message.target());
  request_.fields.clear();
  for (auto& field : message)
    request_.fields.push_back({view_of(field.name_string()), view_of(field.value())});
  request_.is_local = is_local_;
}

void connection::next_request() {
  phase_ = phase::reading;
  header_begun_ = body_begun_ = false;
  header_size_ = 0;
  request_ = {};
  parser_.emplace();
  parser_->header_limit(std::numeric_limits<std::uint32_t>::max());
  parser_->body_limit(owner_->limits().body);
  expect_within(owner_->limits().idle);
  if (input_.empty())
    return do_read();
  owner_->thread().post([self = shared_from_this()] {
    if (self->phase_ == phase::reading)
      self->parse();
    self->do_read();
  });
}

/// What was written is out: a client that does not read its answers gets no further ones.
void connection::read_on() {
  expect_within(owner_->limits().idle);
  parse();
  do_read();
}

// -- answering -----------------------------------------------------------------------

void connection::respond(protocol::http_response answer) {
  if (phase_ != phase::answering)
    return;
  add(head_text(answer, framing::length, keep_alive_));
  if (!answer.body.empty() && request_.method != "HEAD")
    add(std::move(answer.body));
  write_on();
  finish_exchange();
}

void connection::begin_events(const protocol::http_response& head) {
  if (phase_ != phase::answering)
    return;
  phase_ = phase::streaming;
  keep_alive_ = keep_alive_ && chunked_;
  enqueue(head_text(head, chunked_ ? framing::chunked : framing::until_close, keep_alive_));
}

void connection::write_events(std::string events) {
  if (phase_ != phase::streaming)
    return;
  if (unsent_bytes_ > owner_->limits().unsent)
    return close();
  enqueue(chunked_ ? chunk_text(std::move(events)) : std::move(events));
}

void connection::end_events() {
  if (phase_ != phase::streaming)
    return;
  if (chunked_)
    enqueue(last_chunk);
  finish_exchange();
}

void connection::release(std::uint64_t exchange_number) {
  if (exchange_number != exchange_number_ || !has_exchange())
    return;
  if (phase_ == phase::answering && make_abandoned_)
    respond(make_abandoned_());
  else
    close();
}

void connection::finish_exchange() {
  ++exchange_number_;
  tell_closed_.reset();
  if (owner_->draining())
    keep_alive_ = false;
  phase_ = phase::finishing;
  if (keep_alive_)
    next_request();
  else if (writing_.empty())
    linger();
}

/// Closing with input unread would reset the connection, and the answer with it.
void connection::linger() {
  phase_ = phase::lingering;
  input_.clear();
  expect_within(owner_->limits().linger);
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  do_read();
}

// -- writing -----------------------------------------------------------------------

void connection::add(std::string text) {
  unsent_bytes_ += text.size();
  unsent_.push_back(std::move(text));
}

void connection::enqueue(std::string text) {
  add(std::move(text));
  write_on();
}

void connection::write_on() {
  if (writing_.empty())
    do_write();
}

/// What the kernel takes at once needs no operation. An error shows itself again in the one that follows.
void connection::do_write() {
  writing_.swap(unsent_);
  writing_bytes_ = std::exchange(unsent_bytes_, 0);
  boost::system::error_code ignored;
  auto sent = socket_.write_some(buffers_of(writing_), ignored);
  if (sent == writing_bytes_)
    forget_written();
  else
    write_rest(sent);
}

void connection::write_rest(std::size_t sent) {
  boost::beast::buffers_suffix rest{buffers_of(writing_)};
  rest.consume(sent);
  auto progress = [self = shared_from_this()](boost::system::error_code error, std::size_t) -> std::size_t {
    self->write_deadline_ = io_thread::clock::now() + self->owner_->limits().write_time;
    return error ? 0 : max_write;
  };
  asio::async_write(socket_, rest, progress, [self = shared_from_this()](auto error, auto) { self->on_write(error); });
}

void connection::forget_written() {
  writing_.clear();
  writing_bytes_ = 0;
}

void connection::on_write(boost::system::error_code error) {
  write_deadline_ = io_thread::clock::time_point::max();
  forget_written();
  if (phase_ == phase::closed)
    return;
  if (error)
    return close();
  if (!unsent_.empty())
    do_write();
  if (!writing_.empty())
    return;
  if (phase_ == phase::finishing || (is_idle() && owner_->draining()))
    linger();
  else if (is_idle())
    read_on();
}

} // namespace troupe::net
