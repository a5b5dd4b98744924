#include "net/server/connection.hpp"

#include "net/feed_parser.hpp"
#include "net/server/connection_exchange.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
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

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

const auto not_supported = boost::system::errc::make_error_code(boost::system::errc::not_supported);

/// A body that is coded in another way than we read it hides where the next request begins. HTTP/1.0 has no coding: who
/// passes such a request on may not know one (RFC 9112, 6.1).
template <class Message>
boost::system::error_code transfer_coding_error(const Message& message) {
  auto count = message.count(http::field::transfer_encoding);
  if (count == 0)
    return {};
  if (message.version() < 11)
    return http::error::bad_transfer_encoding;
  auto is_chunked = count == 1 && boost::beast::iequals(message[http::field::transfer_encoding], "chunked");
  return is_chunked ? boost::system::error_code{} : not_supported;
}

} // namespace

connection::connection(asio::ip::tcp::socket socket, std::shared_ptr<connections> owner,
                       connections_by_address::share share)
    : socket_{std::move(socket)}, owner_{std::move(owner)}, place_{this}, share_{std::move(share)} {}

connection::~connection() = default;

void connection::start() {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  give_up_after(socket_, owner_->limits().write_time);
  const auto peer = socket_.remote_endpoint(ignored).address();
  peer_ = peer.to_string();
  is_local_ = peer.is_loopback();
  owner_->add(place_);
  if (owner_->aborted())
    return close();
  expect_within(owner_->draining() ? owner_->limits().last_request : owner_->limits().first_request);
  do_read();
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  write_on();
  phase_ = phase::closed;
  ++exchange_number_;
  owner_->remove(place_);
  share_.reset();
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

/// A request that is there already is answered; one of a connection that has just begun is waited for.
void connection::close_when_idle() {
  keep_alive_ = false;
  if (!is_idle() || !queue_.is_empty())
    return;
  boost::system::error_code error;
  if (exchange_number_ == 0)
    expect_within(owner_->limits().last_request);
  else if (input_.empty() && socket_.available(error) == 0)
    close();
}

void connection::check_time(io_thread::clock::time_point now) {
  if (now >= write_deadline_)
    return close();
  if (now < deadline_ || (is_idle() && queue_.is_writing()))
    return;
  if (phase_ == phase::reading && header_begun_)
    refuse(408, "Request Timeout: the request did not arrive in time");
  else
    close();
}

void connection::expect_within(std::chrono::milliseconds time) {
  deadline_ = io_thread::clock::now() + time;
  owner_->expect(deadline_);
}

// -- reading -----------------------------------------------------------------------

void connection::do_read() {
  auto may_wait = phase_ != phase::reading && phase_ != phase::lingering;
  if (reading_ || is_held_back() || phase_ == phase::closed || (may_wait && input_.size() >= owner_->limits().header))
    return;
  reading_ = true;
  socket_.async_wait(asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](auto error) { self->on_readable(error); });
}

/// Only now is a buffer needed: all connections of a thread read into the same.
void connection::on_readable(boost::system::error_code error) {
  reading_ = false;
  if (phase_ == phase::closed)
    return;
  auto buffer = owner_->read_buffer();
  auto wanted = phase_ == phase::reading && body_begun_ ? buffer.size() : std::min(buffer.size(), read_size);
  auto size = error ? 0 : socket_.read_some(asio::buffer(buffer.data(), wanted), error);
  if (error == asio::error::would_block)
    return do_read();
  on_read(error, {buffer.data(), size});
}

void connection::on_read(boost::system::error_code error, std::string_view bytes) {
  if (error)
    return close();
  if (phase_ != phase::lingering)
    input_.append(bytes);
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
    begin_request();
  auto error = parser_->is_header_done() ? parse_body() : parse_header();
  if (error)
    refuse(error);
  else if (parser_->is_done())
    begin_exchange();
  else
    await_rest();
}

void connection::await_rest() {
  if (place_.activity == connection_activity::idle)
    owner_->move(place_, connection_activity::receiving);
  if (parser_->is_header_done() && !body_begun_)
    expect_body();
}

void connection::begin_request() {
  header_begun_ = true;
  parser_ = std::make_unique<parser>();
  parser_->header_limit(std::numeric_limits<std::uint32_t>::max());
  parser_->body_limit(owner_->limits().body);
  expect_within(owner_->limits().header_time);
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
  if (auto bad = transfer_coding_error(parser_->get()))
    return bad;
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
  else if (error == not_supported)
    refuse(501, "Not Implemented: the only Transfer-Encoding is chunked");
  else
    refuse(400, "Bad Request: " + error.message());
}

/// What cannot be read cannot be followed by another request either.
void connection::refuse(int status, std::string text) {
  keep_alive_ = false;
  ++exchange_number_;
  phase_ = phase::answering;
  owner_->move(place_, connection_activity::busy);
  deadline_ = io_thread::clock::time_point::max();
  respond(protocol::rejection_response({status, protocol::error_code::invalid_request, std::move(text)}));
}

void connection::begin_exchange() {
  deadline_ = io_thread::clock::time_point::max();
  phase_ = phase::answering;
  owner_->move(place_, connection_activity::busy);
  ++exchange_number_;
  make_abandoned_ = nullptr;
  request_.body = std::move(parser_->get().body());
  owner_->take(std::make_unique<connection_exchange>(shared_from_this()));
}

/// Before the body is read: fields that come after it, as trailers, are no header fields (RFC 9110, 6.5.1).
void connection::describe_request() {
  auto& message = parser_->get();
  keep_alive_ = message.keep_alive() && !owner_->leaving();
  chunked_ = message.version() >= 11;
  request_.method = view_of(message.method_string());
  request_.target = view_of(message.target());
  request_.fields.clear();
  for (auto& field : message)
    request_.fields.push_back({view_of(field.name_string()), view_of(field.value())});
  request_.peer = peer_;
  request_.is_local = is_local_;
}

void connection::next_request() {
  phase_ = phase::reading;
  header_begun_ = body_begun_ = false;
  header_size_ = 0;
  forget_request();
  expect_within(owner_->limits().idle);
  if (queue_.is_empty())
    owner_->move(place_, connection_activity::idle);
  if (input_.empty())
    return do_read();
  owner_->thread().post([self = shared_from_this()] {
    if (self->phase_ == phase::reading)
      self->parse();
    self->do_read();
  });
}

/// A connection may wait for long.
void connection::forget_request() {
  request_ = {};
  parser_.reset();
  if (input_.empty())
    input_.shrink_to_fit();
}

/// What was written is out: a client that does not read its answers gets no further ones.
void connection::read_on() {
  owner_->move(place_, connection_activity::idle);
  expect_within(owner_->limits().idle);
  parse();
  do_read();
}

} // namespace troupe::net
