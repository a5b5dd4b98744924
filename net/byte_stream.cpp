#include "net/byte_stream.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <netinet/tcp.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t max_write = 256 * 1024;
constexpr std::size_t drop_size = 4 * 1024;

std::size_t in_pieces(const error_code& error, std::size_t) { return error ? 0 : max_write; }

} // namespace

byte_stream::byte_stream(tcp::socket socket) : socket_{std::move(socket)} {
  error_code ignored;
  socket_.set_option(tcp::no_delay{true}, ignored);
}

template <class Operation>
void byte_stream::with_stream(Operation operation) {
  if (tls_)
    operation(*tls_);
  else
    operation(socket_);
}

// -- beginning -----------------------------------------------------------------------------

void byte_stream::connect(protocol::host_port to, std::chrono::milliseconds time, on_connected then) {
  auto on_end = [self = shared_from_this(), then = std::move(then)](tcp::socket socket, error_code error,
                                                                    const std::string& why_not) {
    self->on_connect(error, std::move(socket));
    then(error, why_not);
  };
  connecting_ = std::make_shared<tcp_connect>(executor(), std::move(to), time, std::move(on_end));
  connecting_->start();
}

void byte_stream::on_connect(error_code error, tcp::socket socket) {
  connecting_ = nullptr;
  socket_ = std::move(socket);
  error_code ignored;
  if (!error)
    socket_.set_option(tcp::no_delay{true}, ignored);
}

void byte_stream::keep_alive() {
  error_code ignored;
  socket_.set_option(asio::socket_base::keep_alive{true}, ignored);
  for (auto [name, value] : {std::pair{TCP_KEEPIDLE, 60}, {TCP_KEEPINTVL, 15}, {TCP_KEEPCNT, 4}})
    ::setsockopt(socket_.native_handle(), IPPROTO_TCP, name, &value, sizeof value);
}

SSL* byte_stream::begin_tls(tls_context with) {
  tls_context_ = std::move(with);
  tls_.emplace(socket_, *tls_context_);
  return tls();
}

void byte_stream::handshake(tls_side as, on_done then) {
  tls_->async_handshake(as, [self = shared_from_this(), then = std::move(then)](error_code error) {
    if (!self->is_over())
      then(error);
  });
}

// -- reading -------------------------------------------------------------------------------

void byte_stream::read(on_bytes then, std::size_t most) {
  if (is_over())
    return;
  read_ = std::move(then);
  if (std::exchange(is_reading_, true))
    return;
  buffer_.resize(std::max(most, buffer_.size()));
  auto on_some = [self = shared_from_this()](error_code error, std::size_t size) { self->on_read(error, size); };
  with_stream([&](auto& stream) { stream.async_read_some(asio::buffer(buffer_, most), std::move(on_some)); });
}

void byte_stream::on_read(error_code error, std::size_t size) {
  is_reading_ = false;
  auto tell = std::exchange(read_, nullptr);
  if (is_left_)
    return drop_rest();
  if (tell && !is_over())
    tell(error, {buffer_.data(), size});
}

/// What lies unread is asked of the kernel: the thread may be about to read the server's farewell.
bool byte_stream::is_quiet() {
  char unasked = 0;
  return !is_closed_ && ::recv(socket_.native_handle(), &unasked, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

std::string why_ended(const error_code& error) { return !error || error == asio::error::eof ? "" : error.message(); }

// -- writing -------------------------------------------------------------------------------

template <class Buffers, class Progress, class Then>
void byte_stream::write_all(const Buffers& what, Progress progress, Then then) {
  with_stream([&](auto& stream) { asio::async_write(stream, what, std::move(progress), std::move(then)); });
}

void byte_stream::write(const std::string& head, const std::string& body, std::function<void()> progress) {
  is_writing_ = true;
  const std::array<asio::const_buffer, 2> texts{asio::buffer(head), asio::buffer(body)};
  auto on_progress = [self = shared_from_this(), tell = std::move(progress)](error_code error, std::size_t size) {
    if (size > 0 && !self->is_over())
      tell();
    return in_pieces(error, size);
  };
  auto on_write = [self = shared_from_this()](error_code error, std::size_t) { self->is_writing_ = bool{error}; };
  write_all(texts, std::move(on_progress), std::move(on_write));
}

void byte_stream::write(asio::const_buffer what, on_done then) {
  write_all(what, in_pieces, [self = shared_from_this(), then = std::move(then)](error_code error, std::size_t) {
    if (!self->is_over())
      then(error);
  });
}

void byte_stream::send(std::string text, std::function<void()> all_sent) {
  if (text.empty() || is_over())
    return;
  queue_.add(std::move(text));
  all_sent_ = std::move(all_sent);
  send_on();
}

void byte_stream::send_on() {
  const auto text = queue_.begin_joined();
  if (!text)
    return;
  write_all(*text, in_pieces, [self = shared_from_this()](error_code error, std::size_t) { self->on_sent(error); });
}

/// Who does not hear us any more is noticed by reading: why is among the last words.
void byte_stream::on_sent(error_code error) {
  queue_.end();
  if (!error && !is_over())
    send_on();
  if (is_over() || queue_.is_writing())
    return;
  if (auto tell = std::exchange(all_sent_, nullptr))
    tell();
}

// -- ending --------------------------------------------------------------------------------

void byte_stream::leave(std::function<void()> ended) {
  if (is_closed_)
    return;
  is_left_ = true;
  ended_ = std::move(ended);
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  if (!is_reading_)
    drop_rest();
}

/// As it comes, of TLS too.
void byte_stream::drop_rest() {
  if (is_closed_)
    return;
  buffer_.resize(std::max(drop_size, buffer_.size()));
  socket_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this()](error_code error, std::size_t) { self->on_rest(error); });
}

void byte_stream::on_rest(error_code error) {
  if (!error)
    return drop_rest();
  if (auto tell = std::exchange(ended_, nullptr))
    tell();
}

void byte_stream::close() {
  is_closed_ = true;
  if (auto one = std::exchange(connecting_, nullptr))
    one->cancel();
  read_ = nullptr;
  all_sent_ = nullptr;
  ended_ = nullptr;
  error_code ignored;
  socket_.close(ignored);
}

} // namespace troupe::net
