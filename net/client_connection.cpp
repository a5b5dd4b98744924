#include "net/client_connection.hpp"

#include "net/known_addresses.hpp"
#include "net/tls.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <netinet/tcp.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t max_write = 256 * 1024;

/// A server that vanished without a word is noticed even on a stream that is silent for hours.
void watch(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay{true}, ignored);
  socket.set_option(asio::socket_base::keep_alive{true}, ignored);
  for (auto [name, value] : {std::pair{TCP_KEEPIDLE, 60}, {TCP_KEEPINTVL, 15}, {TCP_KEEPCNT, 4}})
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, name, &value, sizeof value);
}

} // namespace

client_connection::client_connection(asio::io_context& context, protocol::http_url to)
    : context_{context}, to_{std::move(to)}, resolver_{context}, socket_{context}, timer_{context} {}

template <class Operation>
void client_connection::with_stream(Operation operation) {
  if (tls_stream_)
    operation(*tls_stream_);
  else
    operation(socket_);
}

// -- connecting --------------------------------------------------------------------------

void client_connection::connect(std::shared_ptr<asio::ssl::context> tls, std::chrono::milliseconds time,
                                on_connected then) {
  tls_ = std::move(tls);
  time_ = time;
  connected_ = std::move(then);
  std::vector<tcp::endpoint> known;
  for (auto& one : known_addresses(to_.host))
    known.emplace_back(one, to_.port);
  if (known.empty())
    resolve();
  else
    try_each(std::move(known));
}

void client_connection::resolve() {
  auto on_resolved = [self = shared_from_this()](error_code error, const tcp::resolver::results_type& found) {
    if (error)
      self->finish_connecting("cannot resolve " + self->to_.host + ": " + error.message());
    else
      self->try_each({found.begin(), found.end()});
  };
  resolver_.async_resolve(to_.host, std::to_string(to_.port), tcp::resolver::numeric_service, on_resolved);
}

/// One that swallows what is sent to it leaves the others their share of the time.
void client_connection::try_each(std::vector<tcp::endpoint> addresses) {
  addresses_ = std::move(addresses);
  std::reverse(addresses_.begin(), addresses_.end());
  time_ /= static_cast<int>(addresses_.size() + 1);
  try_next();
}

void client_connection::try_next() {
  if (closed_)
    return;
  if (addresses_.empty())
    return finish_later("cannot connect to " + to_.host + " port " + std::to_string(to_.port) + ": " + why_not_);
  auto next = addresses_.back();
  addresses_.pop_back();
  error_code ignored;
  socket_.close(ignored);
  socket_.async_connect(next, [self = shared_from_this()](auto error) { self->on_tcp(error); });
  if (!addresses_.empty())
    pass_over_later();
}

/// The last address has all the time that is left.
void client_connection::pass_over_later() {
  if (time_ == std::chrono::milliseconds{0})
    return;
  timer_.expires_after(time_);
  timer_.async_wait([self = shared_from_this(), left = addresses_.size()](auto error) {
    error_code ignored;
    if (!error && self->is_trying_ && left == self->addresses_.size())
      self->socket_.close(ignored);
  });
}

void client_connection::on_tcp(error_code error) {
  timer_.cancel();
  if (closed_)
    return;
  if (error) {
    why_not_ = error.message();
    return try_next();
  }
  is_trying_ = false;
  watch(socket_);
  if (to_.is_secure)
    handshake();
  else
    finish_connecting({});
}

void client_connection::handshake() {
  tls_stream_.emplace(socket_, *tls_);
  if (!expect_host(tls_stream_->native_handle(), to_.host))
    return finish_later("cannot ask " + to_.host + " for its certificate");
  tls_stream_->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](auto error) {
    auto of = self->tls_stream_->native_handle();
    self->finish_connecting(error ? why_handshake_failed(of, self->to_.host, error) : "");
  });
}

void client_connection::finish_connecting(std::string why_not) {
  if (auto tell = std::exchange(connected_, nullptr); tell && !closed_)
    tell(std::move(why_not));
}

void client_connection::finish_later(std::string why_not) {
  asio::post(context_, [self = shared_from_this(), why = std::move(why_not)] { self->finish_connecting(why); });
}

// -- reading and writing -------------------------------------------------------------------

void client_connection::write(const std::string& head, const std::string& body, std::function<void()> progress) {
  writing_ = true;
  std::array<asio::const_buffer, 2> texts{asio::buffer(head), asio::buffer(body)};
  auto on_progress = [self = shared_from_this(), tell = std::move(progress)](error_code error, std::size_t size) {
    if (size > 0 && !self->closed_)
      tell();
    return error ? 0 : max_write;
  };
  auto on_write = [self = shared_from_this()](error_code error, std::size_t) { self->writing_ = bool{error}; };
  with_stream([&](auto& stream) { asio::async_write(stream, texts, std::move(on_progress), std::move(on_write)); });
}

void client_connection::send(std::string text) {
  queue_.add(std::move(text));
  write_on();
}

void client_connection::write_on() {
  const auto text = closed_ ? std::nullopt : queue_.begin_joined();
  if (!text)
    return;
  auto in_pieces = [](error_code error, std::size_t) { return error ? 0 : max_write; };
  auto on_write = [self = shared_from_this()](error_code error, std::size_t) {
    if (!error)
      self->on_sent();
  };
  with_stream([&](auto& stream) { asio::async_write(stream, *text, in_pieces, std::move(on_write)); });
}

void client_connection::on_sent() {
  queue_.end();
  write_on();
}

void client_connection::read(on_bytes then) {
  read_ = std::move(then);
  if (reading_ || closed_)
    return;
  reading_ = true;
  auto on_some = [self = shared_from_this()](error_code error, std::size_t size) { self->on_read(error, size); };
  with_stream([&](auto& stream) { stream.async_read_some(asio::buffer(buffer_), std::move(on_some)); });
}

void client_connection::on_read(error_code error, std::size_t size) {
  reading_ = false;
  auto tell = std::exchange(read_, nullptr);
  if (!tell || closed_)
    return;
  auto is_end = !error || error == asio::error::eof;
  tell({buffer_.data(), size}, is_end ? "" : error.message());
}

/// What lies unread is asked of the kernel: the thread may be about to read the server's farewell.
bool client_connection::is_quiet() {
  char unasked = 0;
  return !closed_ && ::recv(socket_.native_handle(), &unasked, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

void client_connection::close() {
  closed_ = true;
  connected_ = nullptr;
  read_ = nullptr;
  error_code ignored;
  resolver_.cancel();
  timer_.cancel();
  socket_.close(ignored);
}

} // namespace troupe::net
