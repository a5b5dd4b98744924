#include "net/server/connection.hpp"
#include "net/server/http_head.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

// Functions of `connection` that write answers; those that read requests are in connection.cpp.

namespace troupe::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr std::size_t answer_piece_size = 1024 * 1024;
/// Room behind the head for the usual first events of a stream, and for all of a short one.
constexpr std::size_t usual_events = 768;

/// Refusal for a client whose connection is one too many: of all, or of its address.
protocol::rejection rejection_of(refusal why) {
  constexpr std::chrono::seconds pause{1};
  return why == refusal::connections
             ? protocol::unavailable("too many connections; try again later", {}, pause)
             : protocol::too_many_requests("this address has limits.perAddress.connections open", pause);
}

} // namespace

/// Refuses without reading. The client loses the answer if it has already sent something; but waiting for its input
/// would hold a descriptor, of which there are few.
void connection::turn_away(refusal why) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  owner_->add(place_);
  if (tls_)
    return close();
  keep_alive_ = false;
  auto answer = protocol::rejection_response(rejection_of(why));
  queue_.add(head_text(answer, framing::length, keep_alive_));
  queue_.add(std::move(answer.body));
  close();
}

void connection::refuse(boost::system::error_code error) {
  if (error == http::error::body_limit)
    refuse(413, "Content Too Large: the body has more than " + std::to_string(owner_->limits().body) + " bytes");
  else if (error == http::error::header_limit)
    refuse(431, "Request Header Fields Too Large");
  else if (error == boost::system::errc::not_supported)
    refuse(501, "Not Implemented: the only Transfer-Encoding is chunked");
  else
    refuse(400, "Bad Request: " + error.message());
}

void connection::refuse(int status, std::string text) {
  owner_->refused(status == 408                    ? refusal::too_slow
                  : status == 413 || status == 431 ? refusal::too_large
                                                   : refusal::unreadable);
  refuse({status, protocol::error_code::invalid_request, std::move(text)});
}

/// Refuses a request and ends the connection: after unreadable input no further request can be found.
void connection::refuse(const protocol::rejection& why) {
  keep_alive_ = false;
  ++exchange_number_;
  phase_ = phase::answering;
  owner_->move(place_, connection_activity::busy);
  deadline_ = io_thread::clock::time_point::max();
  respond(protocol::rejection_response(why));
}

/// Refuses on a place kept for that. The client may have sent nothing yet.
void connection::turn_away_politely() {
  owner_->refused(refusal::connections);
  if (!reader_)
    reader_ = std::make_unique<request_reader>(owner_->limits());
  refuse(rejection_of(refusal::connections));
}

// -- answering -----------------------------------------------------------------------

void connection::respond(protocol::http_response answer) {
  if (phase_ != phase::answering)
    return;
  keep_alive_ = keep_alive_ && !owner_->leaving();
  const auto body = request().method == "HEAD" ? 0 : answer.body.size();
  enqueue(head_text(answer, framing::length, keep_alive_, body <= write_queue::longest_joined ? body : 0));
  if (body != 0)
    queue_.add(std::move(answer.body));
  finish_exchange();
}

void connection::begin_events(const protocol::http_response& head) {
  if (phase_ != phase::answering)
    return;
  phase_ = phase::streaming;
  keep_alive_ = keep_alive_ && chunked_ && !owner_->leaving();
  forget_request();
  enqueue(head_text(head, chunked_ ? framing::chunked : framing::until_close, keep_alive_, usual_events));
}

void connection::write_events(std::string events) {
  if (phase_ != phase::streaming)
    return;
  if (queue_.waiting_exceeds(owner_->limits().unsent))
    write_on(); // the text may only have waited for the end of the turn
  if (queue_.waiting_exceeds(owner_->limits().unsent))
    return close();
  enqueue(chunked_ ? chunk_text(events) : std::move(events));
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
  else if (queue_.is_empty())
    linger();
}

/// Reads on before it closes: closing with unread input would reset the connection and lose the answer.
void connection::linger() {
  phase_ = phase::lingering;
  rest_at_ = io_thread::clock::time_point::max();
  expect_within(surplus_ ? owner_->limits().surplus_linger : owner_->limits().linger);
  if (tls_)
    tls_->say_end();
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  do_read();
}

// -- writing -----------------------------------------------------------------------

/// Queues a text. All texts of one turn, such as the head of a stream and its first events, are one write.
void connection::enqueue(std::string text) {
  queue_.add(std::move(text));
  if (!queue_.is_post_due())
    return;
  owner_->thread().post([self = shared_from_this()] {
    self->queue_.posted_write_begins();
    if (self->phase_ != phase::closed)
      self->write_all();
  });
}

/// Writes the rest, and goes on when nothing is left.
void connection::write_all() {
  write_on();
  if (queue_.is_writing())
    return;
  if (phase_ == phase::finishing || (is_idle() && owner_->draining() && unread() == 0))
    linger();
  else if (is_idle())
    read_on();
}

void connection::write_on() {
  auto rest = tls_ ? queue_.begin_at_once(*tls_) : queue_.begin_at_once(socket_);
  if (queue_.is_writing())
    hold_unsent();
  if (!rest)
    return;
  write_deadline_ = owner_->thread().now() + write_time_of(owner_->limits(), queue_.untaken());
  owner_->expect(write_deadline_);
  if (tls_) {
    tls_->keep(*rest);
    return await_writable();
  }
  auto piece = [](boost::system::error_code error, std::size_t) { return error ? 0 : answer_piece_size; };
  asio::async_write(socket_, *rest, piece, [self = shared_from_this()](auto error, auto) { self->on_write(error); });
}

void connection::await_writable() {
  socket_.async_wait(asio::ip::tcp::socket::wait_write,
                     [self = shared_from_this()](auto error) { self->on_writable(error); });
}

void connection::on_writable(boost::system::error_code error) {
  if (!error && phase_ != phase::closed && !tls_->write_kept(error))
    return await_writable();
  on_write(error);
}

/// Updates the budget. A connection that the budget drops is closed as if its client had left.
void connection::hold_unsent() {
  const auto now = owner_->thread().now();
  was_held_ = true;
  if (!unsent_)
    unsent_ = owner_->unsent().begin(
        [one = weak_from_this(), &thread = owner_->thread()] {
          thread.post([one] {
            if (auto alive = one.lock())
              alive->close();
          });
        },
        now);
  unsent_->hold(queue_.held(), now);
}

void connection::on_write(boost::system::error_code error) {
  write_deadline_ = io_thread::clock::time_point::max();
  unsent_.reset();
  queue_.end();
  if (phase_ == phase::closed)
    return;
  if (error)
    return close();
  write_all();
}

} // namespace troupe::net
