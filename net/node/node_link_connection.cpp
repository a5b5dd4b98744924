#include "net/node/node_link_connection.hpp"

#include "protocol/seconds.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;

namespace {

bool is_of_tls(const boost::system::error_code& error) { return error.category() == asio::error::get_ssl_category(); }

/// In TLS 1.3 a server finds fault with our certificate only after we have begun to speak.
std::string why_lost(const boost::system::error_code& error) {
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
    return "it closed the connection";
  return (is_of_tls(error) ? "it ended TLS: " : "the connection was lost: ") + error.message();
}

asio::io_context& context_of(node_link_connection::tcp::socket& socket) {
  return static_cast<asio::io_context&>(socket.get_executor().context());
}

} // namespace

node_link_connection::node_link_connection(tcp::socket socket, node_link_handshake handshake, terms of)
    : handshake_{std::move(handshake)}, terms_{std::move(of)}, context_{context_of(socket)}, timer_{context_} {
  stream_ = std::make_shared<node_link_stream>(std::move(socket));
}

// -- the handshake -----------------------------------------------------------------------

void node_link_connection::dial(const tcp::endpoint& to) {
  dials_ = true;
  be_patient();
  stream_->connect(to, [self = shared_from_this()](error_code error) {
    if (error)
      self->lose(error.message());
    else
      self->secure();
  });
}

void node_link_connection::accept() {
  be_patient();
  secure();
}

void node_link_connection::be_patient() {
  timer_.expires_after(terms_.limit);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->drop("it did not answer within " + protocol::seconds_text(self->terms_.limit));
  });
}

void node_link_connection::secure() {
  if (!terms_.tls)
    return greet();
  stream_->secure(*terms_.tls, dials_, [self = shared_from_this()](error_code error, const std::string& why_not) {
    self->is_stranger_ = error && !is_of_tls(error);
    if (error)
      self->lose(why_not);
    else
      self->greet();
  });
}

void node_link_connection::greet() {
  say(handshake_.greeting());
  read();
}

void node_link_connection::read() {
  stream_->read(asio::buffer(buffer_), [self = shared_from_this()](error_code error, std::size_t size) {
    if (!self->is_over_)
      self->on_read(error, size);
  });
}

void node_link_connection::on_read(error_code error, std::size_t size) {
  if (error)
    return lose(why_lost(error) + (is_heard_ || terms_.tls ? "" : " without a word: it may want TLS"));
  is_heard_ = true;
  say(handshake_.feed({buffer_.data(), size}));
  if (!handshake_.why_not().empty())
    return give_up(handshake_.why_not());
  if (!handshake_.is_welcome())
    read();
  go_on();
}

/// Who was called decides first: the caller is told of a link only when it may have it.
void node_link_connection::go_on() {
  if (dials_ ? handshake_.is_welcome() : handshake_.is_proven())
    offer_once();
  if (!is_over_)
    pump();
}

void node_link_connection::offer_once() {
  if (auto tell = std::exchange(terms_.outcome, nullptr))
    tell({});
}

// -- speaking ----------------------------------------------------------------------------

void node_link_connection::say(std::string text) {
  queue_.add(std::move(text));
  write();
}

/// Who does not hear us any more is noticed by reading: why is among the last words.
void node_link_connection::write() {
  const auto text = queue_.begin_joined();
  if (!text)
    return;
  stream_->write(*text, [self = shared_from_this()](error_code error, std::size_t) {
    self->queue_.end();
    if (!error)
      self->write();
    if (!self->queue_.is_writing())
      self->on_all_said();
  });
}

void node_link_connection::on_all_said() {
  if (is_over_)
    leave();
  else
    pump();
}

// -- the decision ------------------------------------------------------------------------

void node_link_connection::take(owned_descriptor local, std::function<void()> on_closed) {
  if (is_over_)
    return on_closed();
  local_ = std::move(local);
  on_closed_ = std::move(on_closed);
  say(node_link_handshake::consent());
}

void node_link_connection::refuse(const std::string& why) {
  if (is_over_)
    return;
  conclude({});
  say(node_link_handshake::refusal(why));
}

/// Bytes follow the verdicts of both.
void node_link_connection::pump() {
  if (pump_ || !local_ || !handshake_.is_welcome() || queue_.is_writing())
    return;
  timer_.cancel();
  pump_ = std::make_shared<node_link_pump>(context_, stream_, handshake_.take_rest(), terms_.silence);
  pump_->start(local_.release(), [self = shared_from_this()] {
    self->leave();
    self->conclude({});
  });
}

// -- the end -----------------------------------------------------------------------------

/// Tells the other side why, if that does not know.
void node_link_connection::give_up(const std::string& why) {
  if (!handshake_.is_refused())
    say(node_link_handshake::refusal(why));
  if (!queue_.is_writing())
    leave();
  conclude(why);
}

void node_link_connection::lose(const std::string& why) {
  leave();
  conclude(why);
}

void node_link_connection::leave() {
  timer_.cancel();
  stream_->leave(terms_.limit, [self = shared_from_this()] { self->end(); });
}

void node_link_connection::drop(const std::string& why) {
  timer_.cancel();
  stream_->close();
  auto was_over = is_over_;
  end();
  if (!was_over)
    conclude(why);
}

/// Whoever waits is told, and nothing else is done after that: who is told may close us.
void node_link_connection::conclude(const std::string& why) {
  is_over_ = true;
  local_ = {};
  auto on_closed = std::exchange(on_closed_, nullptr);
  if (auto tell = std::exchange(terms_.outcome, nullptr))
    tell(why);
  if (on_closed)
    on_closed();
}

void node_link_connection::end() {
  if (auto tell = std::exchange(terms_.ended, nullptr))
    tell();
}

void node_link_connection::close() {
  is_over_ = true;
  terms_.outcome = nullptr;
  terms_.ended = nullptr;
  on_closed_ = nullptr;
  local_ = {};
  timer_.cancel();
  if (pump_)
    pump_->close();
  stream_->close();
}

void node_link_connection::hang_up() {
  auto ended = std::move(terms_.ended);
  close();
  if (ended)
    ended();
}

} // namespace troupe::net
