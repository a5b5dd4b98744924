#include "net/server/connection.hpp"

#include "net/server/connection_exchange.hpp"

#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>

#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr std::size_t read_size = 4096;

/// Time after which a connection that waits for a further request rests.
constexpr auto rest_time = std::chrono::seconds{2};

/// Refusal for a client whose connection is one too many: of all, or of its address.
protocol::rejection rejection_of(refusal why) {
  constexpr std::chrono::seconds pause{1};
  return why == refusal::connections
             ? protocol::unavailable("too many connections; try again later", {}, pause)
             : protocol::too_many_requests("this address has limits.perAddress.connections open", pause);
}

protocol::rejection invalid_input(int status, std::string text) {
  return {status, protocol::error_code::invalid_request, std::move(text)};
}

/// Refusal of input that could not be read.
protocol::rejection rejection_of(boost::system::error_code error, const connection_limits& limits) {
  if (error == http::error::body_limit)
    return invalid_input(413, "Content Too Large: the body has more than " + std::to_string(limits.body) + " bytes");
  if (error == http::error::header_limit)
    return invalid_input(431, "Request Header Fields Too Large");
  if (error == boost::system::errc::not_supported)
    return invalid_input(501, "Not Implemented: the only Transfer-Encoding is chunked");
  return invalid_input(400, "Bad Request: " + error.message());
}

refusal refusal_of(boost::system::error_code error) {
  const auto is_limit = error == http::error::body_limit || error == http::error::header_limit;
  return is_limit ? refusal::too_large : refusal::unreadable;
}

} // namespace

connection::connection(asio::ip::tcp::socket socket, std::shared_ptr<connections> owner,
                       connections_by_address::share share, std::unique_ptr<connection_tls> tls)
    : socket_{std::move(socket), std::move(tls)}, owner_{std::move(owner)}, share_{std::move(share)} {}

connection::~connection() = default;

void connection::start(slots::share overflow) {
  overflow_ = std::move(overflow);
  socket_.open(owner_->limits().write_time);
  owner_->add(place_);
  if (owner_->aborted())
    return close();
  if (overflow_)
    owner_->move(place_, connection_activity::busy); // so that it makes no room for another
  expect_within(owner_->draining() || overflow_ ? owner_->limits().last_request : owner_->limits().first_request);
  do_read();
}

/// Refuses without reading. The client loses the answer if it has already sent something; but waiting for its input
/// would hold a descriptor, of which there are few.
void connection::reject(refusal why) {
  socket_.never_block();
  owner_->add(place_);
  if (!socket_.tls()) {
    answer_.make_last();
    answer_.respond(protocol::rejection_response(rejection_of(why)), true);
  }
  close();
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  write_on();
  if (is_idle() && answer_.is_empty())
    socket_.send_close_notify();
  phase_ = phase::closed;
  owner_->remove(place_);
  share_.reset();
  overflow_.reset();
  socket_.close();
  current_.close(owner_->thread());
}

/// A request that has arrived is answered; on a connection that has just begun, the first one is waited for.
void connection::close_when_idle() {
  answer_.make_last();
  if (!is_idle() || !answer_.is_empty())
    return;
  if (current_.is_none_yet())
    expect_within(owner_->limits().last_request);
  else if (input_.unread() == 0 && !socket_.has_unread())
    close();
}

void connection::check_time(io_thread::clock::time_point now) {
  if (now >= answer_.deadline())
    return close();
  if (now >= input_.rests_at() && input_.rest(may_rest()))
    socket_.end_read();
  if (socket_.tls() && socket_.tls()->expires(now))
    phase_ == phase::streaming ? close() : close_when_idle(); // a stream would go on for ever
  if (now < deadline_ || (is_idle() && answer_.is_writing()))
    return;
  if (phase_ == phase::reading && overflow_)
    refuse(refusal::connections, rejection_of(refusal::connections));
  else if (phase_ == phase::reading && input_.has_begun())
    refuse(refusal::too_slow, invalid_input(408, "Request Timeout: the request did not arrive in time"));
  else
    close();
}

io_thread::clock::time_point connection::due() const {
  const auto certificate_end = socket_.tls() ? socket_.tls()->certificate_end() : io_thread::clock::time_point::max();
  return std::min({deadline_, answer_.deadline(), input_.rests_at(), certificate_end});
}

/// Each change of the authorities judges the connections, except one on its way to another thread or in its handshake.
void connection::recheck_certificate() {
  auto* tls = socket_.tls();
  if (!tls || phase_ == phase::closed)
    return;
  owner_->expect(tls->await_certificate_end(owner_->thread().now()));
  if (const auto& by = owner_->trust(); by && !tls->is_trusted(by))
    close();
}

void connection::expect_within(std::chrono::milliseconds time) {
  deadline_ = owner_->thread().now() + time;
  owner_->expect(deadline_);
}

// -- reading -----------------------------------------------------------------------

/// Reads with a buffer while a request is to arrive, or is answered: events may be long in coming.
void connection::do_read() {
  if (input_.is_pending() || must_not_read())
    return;
  const auto is_answering = phase_ == phase::answering;
  if (!socket_.tls() && (is_answering || phase_ == phase::reading) && input_.may_receive(is_answering))
    input_.receive(socket_, thread(),
                   [self = shared_from_this()](auto error, auto size) { self->on_received(error, size); });
  else
    input_.await(socket_, thread(), phase_ != phase::lingering,
                 [self = shared_from_this()](auto error) { self->on_readable(error); });
}

bool connection::must_not_read() const {
  auto may_wait = phase_ != phase::reading && phase_ != phase::lingering;
  return is_held_back() || phase_ == phase::closed || (may_wait && input_.unread() >= owner_->limits().header);
}

/// Reads, for which only now a buffer is needed: all connections of a thread share one.
void connection::on_readable(boost::system::error_code error) {
  input_.end_read();
  if (phase_ == phase::closed)
    return;
  if (preference_.must_move(error))
    return move();
  const auto is_body = phase_ == phase::reading && input_.is_in_body();
  const auto buffer = owner_->read_buffer();
  const auto to = buffer.first(is_body ? buffer.size() : read_size);
  std::size_t size = 0;
  if (!error)
    size = phase_ == phase::lingering ? socket_.receive_some(to, error) : socket_.read_some(to, error);
  if (error == asio::error::would_block)
    return do_read();
  on_read(error, {buffer.data(), size});
}

/// Lingers after an error of TLS: a client refused by TLS may still send, and is to read why.
void connection::on_read(boost::system::error_code error, std::string_view bytes) {
  auto* tls = error && is_idle() ? socket_.tls() : nullptr;
  if (tls && tls->has_refused()) {
    if (!tls->is_open())
      owner_->refused(refusal::handshake);
    return linger();
  }
  if (error)
    return close();
  if (phase_ == phase::reading && input_.is_in_body()) {
    on_parsed(input_.reader().read_body(bytes));
  } else if (phase_ != phase::lingering) {
    input_.append(bytes, owner_->limits());
    if (phase_ == phase::reading)
      parse();
  }
  do_read();
}

void connection::on_received(boost::system::error_code error, std::size_t size) {
  input_.end_read();
  if (phase_ == phase::closed)
    return;
  if (preference_.must_move(error))
    return move();
  if (error == asio::error::operation_aborted) {
    if (may_rest())
      input_.drop();
    return do_read();
  }
  if (error)
    return close();
  input_.arrived(size);
  if (phase_ == phase::lingering)
    input_.drop();
  if (phase_ == phase::reading)
    parse();
  do_read();
}

// -- requests ----------------------------------------------------------------------

/// Gives the parser the input: perhaps a part of a request, perhaps more than one.
void connection::parse() {
  input_.reader().skip_empty_lines();
  if (input_.unread() == 0 || is_held_back())
    return;
  if (!input_.has_begun()) {
    recheck_certificate();
    if (phase_ == phase::closed)
      return;
    input_.never_rest();
    socket_.describe_client(request());
    expect_within(owner_->limits().header_time);
  }
  on_parsed(input_.reader().read());
}

void connection::on_parsed(boost::system::error_code error) {
  const auto& limits = owner_->limits();
  auto& reader = input_.reader();
  if (error)
    return refuse(refusal_of(error), rejection_of(error, limits));
  if (overflow_ && reader.is_header_done() && !limits.is_always_answered(request()))
    return refuse(refusal::connections, rejection_of(refusal::connections));
  if (reader.is_done())
    return begin_exchange();
  if (place_.activity == connection_activity::idle)
    owner_->move(place_, connection_activity::receiving);
  if (!input_.begins_body())
    return;
  expect_within(limits.body_time);
  if (reader.awaits_continue()) {
    answer_.add_continue();
    write_soon();
  }
}

/// Refuses a request and ends the connection: after unreadable input no further request can be found. A client that is
/// one too many may have sent nothing yet.
void connection::refuse(refusal kind, const protocol::rejection& why) {
  owner_->refused(kind);
  input_.reader(owner_->limits());
  answer_.make_last();
  current_.begin();
  phase_ = phase::answering;
  owner_->move(place_, connection_activity::busy);
  deadline_ = io_thread::clock::time_point::max();
  respond(protocol::rejection_response(why));
}

void connection::begin_exchange() {
  const auto has_expired = socket_.tls() && socket_.tls()->has_expired();
  const auto& reader = input_.reader();
  deadline_ = io_thread::clock::time_point::max();
  phase_ = phase::answering;
  owner_->move(place_, connection_activity::busy);
  current_.begin();
  preference_.begin();
  answer_.begin(reader.keeps_alive() && !owner_->leaving() && !has_expired && !overflow_, reader.takes_chunks());
  owner_->pass_on(std::make_unique<connection_exchange>(shared_from_this()));
}

void connection::release(std::uint64_t exchange_number) {
  if (exchange_number != current_.number())
    return;
  if (phase_ == phase::answering && current_.make_abandoned())
    respond(current_.make_abandoned()());
  else if (phase_ == phase::answering || phase_ == phase::streaming)
    close();
}

void connection::finish_exchange() {
  current_.end();
  if (owner_->draining())
    answer_.make_last();
  phase_ = phase::finishing;
  if (!answer_.is_last())
    next_request();
  else if (answer_.is_empty())
    linger();
}

void connection::next_request() {
  phase_ = phase::reading;
  input_.forget();
  input_.rest_at(owner_->thread().now() + rest_time);
  expect_within(owner_->limits().idle);
  owner_->expect(input_.rests_at());
  if (input_.unread() == 0)
    return do_read();
  will_parse_ = true;
  owner_->thread().post([self = shared_from_this()] {
    self->will_parse_ = false;
    if (self->phase_ == phase::reading && self->input_.unread() != 0)
      self->parse();
    self->do_read();
  });
}

/// Goes on once all is written: a client that does not read its answers gets no further ones.
void connection::read_on() {
  owner_->move(place_, connection_activity::idle);
  expect_within(owner_->limits().idle);
  if (input_.unread() != 0)
    parse();
  do_read();
  if (!may_move())
    return;
  preference_.begin_move();
  socket_.end_read();
}

/// Reads on before it closes: closing with unread input would reset the connection and lose the answer.
void connection::linger() {
  phase_ = phase::lingering;
  input_.never_rest();
  expect_within(overflow_ ? owner_->limits().surplus_linger : owner_->limits().linger);
  socket_.end_sending();
  do_read();
}

// -- answering ---------------------------------------------------------------------

void connection::respond(protocol::http_response answer) {
  if (phase_ != phase::answering)
    return;
  if (owner_->leaving())
    answer_.make_last();
  answer_.respond(std::move(answer), request().method != "HEAD");
  write_soon();
  finish_exchange();
}

void connection::begin_events(const protocol::http_response& head) {
  if (phase_ != phase::answering)
    return;
  phase_ = phase::streaming;
  if (owner_->leaving())
    answer_.make_last();
  input_.forget_for_long();
  answer_.begin_events(head);
  write_soon();
}

void connection::write_events(std::string events) {
  if (phase_ != phase::streaming)
    return;
  if (answer_.waiting_exceeds(owner_->limits().unsent))
    write_on(); // the text may only have waited for the end of the turn
  if (answer_.waiting_exceeds(owner_->limits().unsent))
    return close();
  answer_.write_events(std::move(events));
  write_soon();
}

void connection::end_events() {
  if (phase_ != phase::streaming)
    return;
  if (answer_.end_events())
    write_soon();
  finish_exchange();
}

// -- writing -----------------------------------------------------------------------

/// Writes what was added. All texts of one turn, such as the head of a stream and its first events, are one write.
void connection::write_soon() {
  if (!answer_.is_post_due())
    return;
  owner_->thread().post([self = shared_from_this()] {
    self->answer_.posted_write_begins();
    self->write_all();
  });
}

/// Writes the rest, and goes on when nothing is left.
void connection::write_all() {
  if (phase_ == phase::closed)
    return;
  write_on();
  if (answer_.is_writing())
    return;
  if (phase_ == phase::finishing || (is_idle() && owner_->draining() && input_.unread() == 0))
    linger();
  else if (is_idle())
    read_on();
}

void connection::write_on() {
  const auto rest = answer_.begin_write(socket_);
  if (!answer_.is_writing())
    return;
  auto& thread = owner_->thread();
  const auto now = thread.now();
  answer_.hold(owner_->unsent(), now, [one = weak_from_this(), &thread] {
    thread.post([one] {
      if (auto alive = one.lock())
        alive->close();
    });
  });
  if (!rest)
    return;
  owner_->expect(answer_.limit_write(owner_->limits(), now));
  socket_.write(*rest, [self = shared_from_this()](auto error) {
    self->answer_.end_write();
    error ? self->close() : self->write_all();
  });
}

// -- to another thread -------------------------------------------------------------

/// Whether it may move: no pending work on this thread may refer to it. The budget of unsent bytes refers to it for
/// good, once it was used.
bool connection::may_move() const {
  return preference_.better() && !answer_.was_held() && !will_parse_ && may_rest() && answer_.is_empty() &&
         !owner_->draining() && !owner_->aborted();
}

/// Moves. Once released, the connection is not touched on this thread any more.
void connection::move() {
  auto to = may_move() ? owner_->on_thread(*preference_.better()) : nullptr;
  preference_ = {};
  if (!to || to == owner_)
    return do_read();
  if (socket_.move_to(to->thread().context()))
    return close();
  input_.drop();
  owner_->release(place_);
  owner_ = std::move(to);
  owner_->thread().post([self = shared_from_this()] { self->arrive(); });
}

void connection::arrive() {
  owner_->add(place_);
  if (socket_.never_block() || owner_->aborted())
    return close();
  expect_within(owner_->limits().idle);
  do_read();
  if (owner_->draining())
    close_when_idle();
}

} // namespace troupe::net
