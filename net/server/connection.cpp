#include "net/server/connection.hpp"

#include "net/server/connection_exchange.hpp"
#include "net/server/listening_socket.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <netinet/tcp.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;

namespace {

/// Makes the kernel give up on a peer that acknowledges nothing for this long.
void give_up_after(asio::ip::tcp::socket& socket, std::chrono::milliseconds time) {
  auto value = static_cast<unsigned>(time.count());
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value);
}

constexpr std::size_t read_size = 4096;

/// Size of a read with a buffer: more than most requests have.
constexpr std::size_t receive_size = 2048;

/// Time after which a connection that waits for a further request rests.
constexpr auto rest_time = std::chrono::seconds{2};

} // namespace

connection::connection(asio::ip::tcp::socket socket, std::shared_ptr<connections> owner,
                       connections_by_address::share share, std::unique_ptr<connection_tls> tls)
    : socket_{std::move(socket)}, owner_{std::move(owner)}, share_{std::move(share)}, tls_{std::move(tls)} {}

connection::~connection() = default;

void connection::start(surplus_places::share surplus) {
  surplus_ = std::move(surplus);
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  give_up_after(socket_, owner_->limits().write_time);
  const auto peer = socket_.remote_endpoint(ignored);
  const auto has_address = !is_of_unix_socket(peer);
  peer_ = has_address ? peer.address().to_string() : std::string{};
  is_local_ = !has_address || peer.address().is_loopback();
  owner_->add(place_);
  if (owner_->aborted())
    return close();
  if (surplus_)
    owner_->move(place_, connection_activity::busy); // so that it makes no room for another
  expect_within(owner_->draining() || surplus_ ? owner_->limits().last_request : owner_->limits().first_request);
  do_read();
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  write_on();
  if (tls_ && is_idle() && queue_.is_empty())
    tls_->say_end();
  phase_ = phase::closed;
  ++exchange_number_;
  owner_->remove(place_);
  share_.reset();
  surplus_.reset();
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

/// A request that has arrived is answered; on a connection that has just begun, the first one is waited for.
void connection::close_when_idle() {
  keep_alive_ = false;
  if (!is_idle() || !queue_.is_empty())
    return;
  boost::system::error_code error;
  if (exchange_number_ == 0)
    expect_within(owner_->limits().last_request);
  else if (unread() == 0 && !(tls_ && tls_->has_unread()) && socket_.available(error) == 0)
    close();
}

void connection::check_time(io_thread::clock::time_point now) {
  if (now >= write_deadline_)
    return close();
  if (now >= rest_at_)
    rest();
  if (now >= certificate_end_)
    on_certificate_end();
  if (now < deadline_ || (is_idle() && queue_.is_writing()))
    return;
  if (phase_ == phase::reading && surplus_)
    turn_away_politely();
  else if (phase_ == phase::reading && has_begun())
    refuse(408, "Request Timeout: the request did not arrive in time");
  else
    close();
}

void connection::expect_within(std::chrono::milliseconds time) {
  deadline_ = owner_->thread().now() + time;
  owner_->expect(deadline_);
}

// -- reading -----------------------------------------------------------------------

void connection::do_read() {
  if (reading_ || must_not_read())
    return;
  reading_ = true;
  if (may_receive())
    receive_bytes();
  else
    await_bytes();
}

/// Whether to read with a buffer. Unread input would have to stay in place meanwhile, so there must be none. Events may
/// be long in coming, and the body of a request is read in larger pieces.
bool connection::may_receive() const {
  if (tls_ || !reader_ || unread() != 0)
    return false;
  return phase_ == phase::answering ? reader_->request().method != "GET" : phase_ == phase::reading && !body_begun_;
}

bool connection::must_not_read() const {
  auto may_wait = phase_ != phase::reading && phase_ != phase::lingering;
  return is_held_back() || phase_ == phase::closed || (may_wait && unread() >= owner_->limits().header);
}

/// Waits without a buffer: costs a system call, but no memory. Bytes held by TLS wait for other work of this turn.
void connection::await_bytes() {
  if (tls_ && tls_->has_unread() && phase_ != phase::lingering)
    return owner_->thread().post([self = shared_from_this()] { self->on_readable({}); });
  socket_.async_wait(tls_ && tls_->awaits_writing() ? asio::ip::tcp::socket::wait_write
                                                    : asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](auto error) {
                       const io_thread::turn event{self->owner_->thread()};
                       self->on_readable(error);
                     });
}

void connection::receive_bytes() {
  receiving_ = true;
  socket_.async_receive(reader_->room(receive_size), [self = shared_from_this()](auto error, auto size) {
    const io_thread::turn event{self->owner_->thread()};
    self->on_received(error, size);
  });
}

/// Reads, for which only now a buffer is needed: all connections of a thread share one.
void connection::on_readable(boost::system::error_code error) {
  reading_ = false;
  if (phase_ == phase::closed)
    return;
  if (must_move(error))
    return move();
  auto buffer = owner_->read_buffer();
  auto wanted = phase_ == phase::reading && body_begun_ ? buffer.size() : read_size;
  auto size = error ? 0 : read_some(buffer.first(wanted), error);
  if (error == asio::error::would_block)
    return do_read();
  on_read(error, {buffer.data(), size});
}

/// Reads some bytes. Input that will be dropped is not decrypted.
std::size_t connection::read_some(std::span<char> to, boost::system::error_code& error) {
  return tls_ && phase_ != phase::lingering ? tls_->read_some(to, error)
                                            : socket_.read_some(asio::buffer(to.data(), to.size()), error);
}

void connection::on_read(boost::system::error_code error, std::string_view bytes) {
  if (error)
    return tls_ && tls_->has_refused() && is_idle() ? refused_by_tls() : close();
  if (phase_ == phase::lingering)
    return do_read();
  if (!reader_)
    reader_ = std::make_unique<request_reader>(owner_->limits());
  if (phase_ == phase::reading && body_begun_) {
    go_on(reader_->read_body(bytes));
  } else {
    reader_->append(bytes);
    if (phase_ == phase::reading)
      parse();
  }
  do_read();
}

void connection::on_received(boost::system::error_code error, std::size_t size) {
  reading_ = receiving_ = false;
  if (phase_ == phase::closed)
    return;
  if (must_move(error))
    return move();
  if (error == asio::error::operation_aborted) {
    if (may_rest())
      reader_.reset();
    return do_read();
  }
  if (error)
    return close();
  reader_->arrived(size);
  if (phase_ == phase::lingering)
    reader_.reset();
  if (phase_ == phase::reading)
    parse();
  do_read();
}

/// Ends the read that has a buffer, and gives the buffer back.
void connection::rest() {
  rest_at_ = io_thread::clock::time_point::max();
  boost::system::error_code ignored;
  if (may_rest() && receiving_)
    socket_.cancel(ignored);
  else if (may_rest())
    reader_.reset();
}

/// Gives the parser the input: perhaps a part of a request, perhaps more than one.
void connection::parse() {
  reader_->skip_empty_lines();
  if (unread() == 0 || is_held_back())
    return;
  if (!has_begun() && !is_believed())
    return close();
  if (!has_begun())
    begin_request();
  go_on(reader_->read());
}

void connection::go_on(boost::system::error_code error) {
  if (error)
    refuse(error);
  else if (is_turned_away())
    turn_away_politely();
  else if (reader_->is_done())
    begin_exchange();
  else
    await_rest();
}

void connection::await_rest() {
  if (place_.activity == connection_activity::idle)
    owner_->move(place_, connection_activity::receiving);
  if (reader_->is_header_done() && !body_begun_)
    expect_body();
}

void connection::begin_request() {
  rest_at_ = io_thread::clock::time_point::max();
  auto& request = reader_->request();
  request.peer = peer_;
  request.is_local = is_local_;
  request.is_secure = tls_ != nullptr;
  request.certificate = tls_ ? std::string_view{tls_->certificate()} : std::string_view{};
  request.certificate_until = tls_ ? tls_->certificate_until() : std::nullopt;
  expect_within(owner_->limits().header_time);
}

void connection::expect_body() {
  body_begun_ = true;
  expect_within(owner_->limits().body_time);
  if (reader_->awaits_continue())
    enqueue("HTTP/1.1 100 Continue\r\n\r\n");
}

/// Whether the present authorities trust the certificate. Each change of them judges the connections, except one on its
/// way to another thread or in its handshake.
bool connection::is_believed() {
  const auto& by = owner_->trust();
  if (tls_ && !has_expired_ && certificate_end_ == io_thread::clock::time_point::max())
    await_certificate_end();
  return !tls_ || !by || tls_->is_believed(by);
}

void connection::judge_again() {
  if (phase_ != phase::closed && !is_believed())
    close();
}

void connection::await_certificate_end() {
  const auto end = tls_->certificate_until();
  constexpr std::chrono::seconds years = std::chrono::hours{24 * 366 * 10};
  if (!end)
    return;
  const auto today = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  certificate_end_ = owner_->thread().now() + std::min(*end - today, years);
  owner_->expect(certificate_end_);
}

/// Makes the answer under way the last; a stream, which would go on for ever, is closed.
void connection::on_certificate_end() {
  certificate_end_ = io_thread::clock::time_point::max();
  has_expired_ = true;
  if (phase_ == phase::streaming)
    close();
  else
    close_when_idle();
}

/// Lingers: a client refused by TLS may still send, and is to read why.
void connection::refused_by_tls() {
  if (!tls_->is_open())
    owner_->refused(refusal::handshake);
  linger();
}

bool connection::is_turned_away() {
  return surplus_ && reader_->is_header_done() && !owner_->limits().is_always_answered(reader_->request());
}

void connection::begin_exchange() {
  deadline_ = io_thread::clock::time_point::max();
  phase_ = phase::answering;
  owner_->move(place_, connection_activity::busy);
  ++exchange_number_;
  preference_.begin();
  make_abandoned_ = nullptr;
  keep_alive_ = reader_->keeps_alive() && !owner_->leaving() && !has_expired_ && !surplus_;
  chunked_ = reader_->takes_chunks();
  owner_->take(std::make_unique<connection_exchange>(shared_from_this()));
}

void connection::next_request() {
  phase_ = phase::reading;
  forget_request();
  rest_at_ = owner_->thread().now() + rest_time;
  expect_within(owner_->limits().idle);
  owner_->expect(rest_at_);
  if (unread() == 0)
    return do_read();
  will_parse_ = true;
  owner_->thread().post([self = shared_from_this()] {
    self->will_parse_ = false;
    if (self->phase_ == phase::reading && self->unread() != 0)
      self->parse();
    self->do_read();
  });
}

void connection::forget_request() {
  body_begun_ = false;
  if (!reader_)
    return;
  reader_->forget();
  if (phase_ == phase::streaming && unread() == 0 && !receiving_)
    reader_.reset();
}

/// Goes on once all is written: a client that does not read its answers gets no further ones.
void connection::read_on() {
  owner_->move(place_, connection_activity::idle);
  expect_within(owner_->limits().idle);
  if (unread() != 0)
    parse();
  do_read();
  if (may_move())
    begin_move();
}

} // namespace troupe::net
