#include "net/byte_stream.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <cassert>
#include <netinet/tcp.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t write_piece_size = 256 * 1024;
constexpr std::size_t drop_size = 4 * 1024;

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

void byte_stream::connect(protocol::host_port to, std::chrono::milliseconds time, on_connected then, reach may) {
  auto on_end = [self = shared_from_this(), then = std::move(then)](tcp::socket socket, error_code error,
                                                                    const std::string& why_not) {
    self->on_connect(error, std::move(socket));
    then(error, why_not);
  };
  connecting_ = std::make_shared<tcp_connect>(executor(), std::move(to), time, may, std::move(on_end));
  connecting_->start();
}

void byte_stream::on_connect(error_code error, tcp::socket socket) {
  connecting_ = nullptr;
  socket_ = std::move(socket);
  error_code ignored;
  if (!error)
    socket_.set_option(tcp::no_delay{true}, ignored);
}

void byte_stream::stop_connecting() {
  if (auto one = std::exchange(connecting_, nullptr))
    one->cancel();
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

/// Peeks at the socket itself: the thread may be about to read that the server closes.
bool byte_stream::is_quiet() {
  char unasked = 0;
  return !is_closed_ && ::recv(socket_.native_handle(), &unasked, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

std::string why_ended(const error_code& error) { return !error || error == asio::error::eof ? "" : error.message(); }

// -- writing -------------------------------------------------------------------------------

/// Returns the size of the next write: 0 once the stream is over, when the texts may be gone.
std::size_t byte_stream::next_piece(const error_code& error) const { return error || is_over() ? 0 : write_piece_size; }

template <class Buffers, class Progress, class Then>
void byte_stream::write_all(const Buffers& what, Progress progress, Then then) {
  assert(!is_busy_ && "one write at a time");
  is_busy_ = true;
  with_stream([&](auto& stream) { asio::async_write(stream, what, std::move(progress), std::move(then)); });
}

void byte_stream::write(const std::string& head, const std::string& body, std::function<void()> progress) {
  is_writing_ = true;
  const std::array<asio::const_buffer, 2> texts{asio::buffer(head), asio::buffer(body)};
  auto on_progress = [self = shared_from_this(), tell = std::move(progress)](error_code error, std::size_t size) {
    if (size > 0 && !self->is_over())
      tell();
    return self->next_piece(error);
  };
  auto on_write = [self = shared_from_this()](error_code error, std::size_t) {
    self->is_busy_ = false;
    self->is_writing_ = error || self->is_over();
  };
  write_all(texts, std::move(on_progress), std::move(on_write));
}

void byte_stream::write(asio::const_buffer what, on_done then) {
  auto in_pieces = [this](error_code error, std::size_t) { return next_piece(error); };
  write_all(what, in_pieces, [self = shared_from_this(), then = std::move(then)](error_code error, std::size_t) {
    self->is_busy_ = false;
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
  auto in_pieces = [this](error_code error, std::size_t) { return next_piece(error); };
  write_all(*text, in_pieces, [self = shared_from_this()](error_code error, std::size_t) { self->on_sent(error); });
}

/// Reports no error: reading notices a disconnected peer, whose last bytes may say why.
void byte_stream::on_sent(error_code error) {
  is_busy_ = false;
  queue_.end();
  if (!error && !is_over())
    send_on();
  if (is_over() || queue_.is_writing())
    return;
  if (auto tell = std::exchange(all_sent_, nullptr))
    tell();
}

// -- giving the connection away ------------------------------------------------------------

/// Takes received bytes that TLS has not read from the BIO between it and the socket. The connection's state is not
/// shared: another thread may use it from now on.
secure_connection byte_stream::release() {
  assert(!is_reading_ && !is_busy_ && "nobody reads or writes");
  auto* with = tls();
  SSL_up_ref(with);
  secure_connection result{{}, {with, SSL_free}, {}};
  auto* between = SSL_get_rbio(with);
  result.received.resize(BIO_ctrl_pending(between));
  if (!result.received.empty())
    BIO_read(between, result.received.data(), static_cast<int>(result.received.size()));
  tls_.reset();
  error_code error;
  result.socket = owned_descriptor{socket_.release(error)};
  return result;
}

void byte_stream::take_back(owned_descriptor socket) {
  error_code error;
  socket_.assign(tcp::v4(), socket.get(), error);
  if (!error)
    socket.release();
}

// -- ending --------------------------------------------------------------------------------

void byte_stream::leave(std::function<void()> ended) {
  if (is_closed_)
    return;
  is_left_ = true;
  stop_connecting();
  ended_ = std::move(ended);
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  if (!is_reading_)
    drop_rest();
}

/// Drops input as it arrives, even that of TLS without decrypting it.
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
  stop_connecting();
  read_ = nullptr;
  all_sent_ = nullptr;
  ended_ = nullptr;
  error_code ignored;
  socket_.close(ignored);
}

} // namespace troupe::net
