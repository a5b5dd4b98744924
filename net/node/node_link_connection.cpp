#include "net/node/node_link_connection.hpp"

#include "net/node/node_link_tls.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;

namespace {

/// Size of reads in a handshake, which has few bytes.
constexpr std::size_t handshake_read_size = 4 * 1024;

bool is_of_tls(const boost::system::error_code& error) { return error.category() == asio::error::get_ssl_category(); }

/// Explains why a connection ended. In TLS 1.3 a server rejects our certificate only after we have begun to send.
std::string why_lost(const boost::system::error_code& error) {
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
    return "it closed the connection";
  return (is_of_tls(error) ? "it ended TLS: " : "the connection was lost: ") + error.message();
}

} // namespace

node_link_connection::node_link_connection(tcp::socket socket, node_link_handshake handshake, settings of)
    : handshake_{std::move(handshake)}, settings_{std::move(of)},
      stream_{std::make_shared<byte_stream>(std::move(socket))}, timer_{stream_->executor()} {}

// -- the handshake -----------------------------------------------------------------------

void node_link_connection::dial(const tcp::endpoint& to) {
  dials_ = true;
  start_timer();
  auto on_end = [self = shared_from_this()](error_code error, const std::string&) {
    self->is_refused_ = error == asio::error::connection_refused;
    if (error)
      self->lose(error.message());
    else
      self->secure();
  };
  stream_->connect({to.address().to_string(), to.port()}, std::chrono::milliseconds{0}, std::move(on_end));
}

void node_link_connection::accept() {
  start_timer();
  secure();
}

void node_link_connection::start_timer() {
  timer_.expires_after(settings_.limit);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->drop("it did not answer within " + protocol::seconds_text(self->settings_.limit));
  });
}

void node_link_connection::secure() {
  stream_->begin_tls(settings_.tls);
  if (dials_)
    name_key(stream_->tls());
  auto side = dials_ ? asio::ssl::stream_base::client : asio::ssl::stream_base::server;
  stream_->handshake(side, [self = shared_from_this()](error_code error) {
    self->is_stranger_ = error && !is_like_a_node(error);
    if (error)
      self->lose(why_not_tls(self->stream_->tls(), error));
    else
      self->greet();
  });
}

void node_link_connection::greet() {
  send(handshake_.begin(binding_of(stream_->tls())));
  read();
}

void node_link_connection::read() {
  auto on_some = [self = shared_from_this()](error_code error, std::string_view bytes) {
    if (!self->is_over_)
      self->on_read(error, bytes);
  };
  stream_->read(std::move(on_some), handshake_read_size);
}

void node_link_connection::on_read(error_code error, std::string_view bytes) {
  if (error)
    return lose(why_lost(error));
  send(handshake_.feed(bytes));
  if (!handshake_.why_not().empty())
    return give_up(handshake_.why_not());
  if (!handshake_.is_accepted())
    read();
  advance();
}

/// Offers the link. The called side decides first: the caller is offered a link only when it may have it.
void node_link_connection::advance() {
  if (dials_ ? handshake_.is_accepted() : handshake_.is_authenticated())
    if (auto tell = std::exchange(settings_.outcome, nullptr))
      tell({});
  if (!is_over_)
    open();
}

// -- speaking ----------------------------------------------------------------------------

void node_link_connection::send(std::string text) {
  stream_->send(std::move(text), [self = shared_from_this()] { self->on_all_said(); });
}

void node_link_connection::on_all_said() {
  if (is_over_)
    leave();
  else
    open();
}

// -- the decision ------------------------------------------------------------------------

void node_link_connection::consent(on_open opened, std::function<void()> on_closed) {
  if (is_over_)
    return on_closed();
  opened_ = std::move(opened);
  on_closed_ = std::move(on_closed);
  send(node_link_handshake::consent());
}

void node_link_connection::refuse(const std::string& why) {
  if (is_over_)
    return;
  conclude({});
  send(node_link_handshake::refusal(why));
}

/// Opens the link: its bytes follow the verdicts of both.
void node_link_connection::open() {
  if (!opened_ || !handshake_.is_accepted() || stream_->is_sending())
    return;
  auto on_end = [post = settings_.post, self = weak_from_this()](owned_descriptor socket) {
    post([self, carried = std::make_shared<owned_descriptor>(std::move(socket))] {
      if (auto alive = self.lock())
        alive->on_end(std::move(*carried));
    });
  };
  auto bytes = std::make_shared<node_link_stream>(stream_->release(), handshake_.take_rest(), std::move(on_end));
  bytes_ = bytes;
  watch();
  std::exchange(opened_, nullptr)(std::move(bytes));
}

void node_link_connection::watch() {
  auto bytes = bytes_.lock();
  if (!bytes)
    return;
  timer_.expires_at(bytes->last_received() + settings_.silence);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->on_watched();
  });
}

/// Cuts a silent link. Unread input is no silence: the reader may be busy.
void node_link_connection::on_watched() {
  auto bytes = bytes_.lock();
  if (!bytes)
    return;
  if (bytes->has_arrived())
    bytes->note_received();
  if (node_link_stream::clock::now() >= bytes->last_received() + settings_.silence)
    bytes->cut();
  else
    watch();
}

/// Closes in order: the other side may not have read all yet.
void node_link_connection::on_end(owned_descriptor socket) {
  if (is_over_)
    return;
  stream_->take_back(std::move(socket));
  leave();
  conclude({});
}

bool node_link_connection::is_by_another_key(const std::vector<std::string>& keys) const {
  return !is_over_ && handshake_.is_authenticated() && std::ranges::find(keys, handshake_.key()) == keys.end();
}

// -- the end -----------------------------------------------------------------------------

/// Ends the handshake, and sends the other side the reason if it does not know it.
void node_link_connection::give_up(const std::string& why) {
  if (!handshake_.is_refused())
    send(node_link_handshake::refusal(why));
  if (!stream_->is_sending())
    leave();
  conclude(why);
}

void node_link_connection::lose(const std::string& why) {
  leave();
  conclude(why);
}

void node_link_connection::leave() {
  stream_->leave([self = shared_from_this()] { self->cut(); });
  timer_.expires_after(settings_.limit);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->cut();
  });
}

void node_link_connection::cut() {
  timer_.cancel();
  stream_->close();
  end();
}

void node_link_connection::drop(const std::string& why) {
  const auto was_over = is_over_;
  cut();
  if (!was_over)
    conclude(why);
}

/// Reports the end, and does nothing after that: a callback may close this.
void node_link_connection::conclude(const std::string& why) {
  is_over_ = true;
  opened_ = nullptr;
  auto on_closed = std::exchange(on_closed_, nullptr);
  if (auto tell = std::exchange(settings_.outcome, nullptr))
    tell(why);
  if (on_closed)
    on_closed();
}

void node_link_connection::end() {
  if (auto tell = std::exchange(settings_.ended, nullptr))
    tell();
}

void node_link_connection::close() {
  is_over_ = true;
  settings_.outcome = nullptr;
  settings_.ended = nullptr;
  opened_ = nullptr;
  on_closed_ = nullptr;
  timer_.cancel();
  if (auto bytes = bytes_.lock())
    bytes->cut();
  stream_->close();
}

void node_link_connection::disconnect() {
  auto ended = std::move(settings_.ended);
  close();
  if (ended)
    ended();
}

} // namespace troupe::net
