#include "net/client/http_client_call.hpp"

#include "net/process_resources.hpp"
#include "net/tls.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

using std::chrono::milliseconds;

namespace {

/// Protocol spoken inside of TLS, for ALPN (RFC 7301, 3.1): a length, then the name.
constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

std::string duration_text(milliseconds time) {
  auto is_whole = time % std::chrono::seconds{1} == milliseconds{0};
  return is_whole ? std::to_string(time / std::chrono::seconds{1}) + " s" : std::to_string(time.count()) + " ms";
}

milliseconds either(milliseconds own, milliseconds common) { return own == milliseconds{0} ? common : own; }

} // namespace

http_client_call::http_client_call(std::shared_ptr<http_client_shared> shared, http_call what, http_call_events events,
                                   std::function<void()> over)
    : shared_{std::move(shared)}, what_{std::move(what)}, events_{std::make_shared<http_call_events>(
                                                              std::move(events))},
      over_{std::move(over)}, timer_{shared_->thread.context()} {
  if (what_.whole > milliseconds{0})
    last_ = clock::now() + what_.whole;
}

// -- its turn ------------------------------------------------------------------------------

void http_client_call::start(http_client_user& of) {
  if (what_.turn == protocol::call_priority::message)
    ask_turn(shared_->messages, of.messages);
  else if (what_.turn != protocol::call_priority::uncounted)
    ask_turn(shared_->requests, of.requests);
  else
    shared_->thread.post([self = shared_from_this()] { self->begin(); });
}

void http_client_call::ask_turn(call_turns& turns, call_turns::user& of) {
  number_ = ++shared_->last;
  const auto ahead = what_.turn == protocol::call_priority::resumed_request;
  const auto answer = turns.asks(of, number_, what_.body.size(), ahead);
  if (answer != call_turns::answer::refused) {
    turns_ = &turns;
    user_ = &of;
  }
  if (answer == call_turns::answer::waits)
    return wait();
  shared_->thread.post([self = shared_from_this(), answer] {
    if (answer == call_turns::answer::begins)
      self->begin();
    else if (!self->is_over_)
      self->fail("too many calls wait for a connection to it, and this one was not sent");
  });
}

void http_client_call::wait() {
  waits_ = true;
  shared_->waiting.emplace(number_, weak_from_this());
  expect_within(either(what_.head_timeout, shared_->options.head), "while waiting for a connection");
}

void http_client_shared::begin(const std::vector<call_turns::number>& whose_turn) {
  for (auto number : whose_turn)
    if (auto one = waiting.extract(number).mapped().lock())
      one->on_turn();
}

void http_client_call::on_turn() {
  waits_ = false;
  expect_within(milliseconds{0}, "");
  shared_->thread.post([self = shared_from_this()] {
    if (self->is_over_)
      return;
    if (auto told = self->events_; told->begun)
      told->begun();
    self->begin();
  });
}

void http_client_call::leave_turn() {
  auto turns = std::exchange(turns_, nullptr);
  if (!turns)
    return;
  if (!waits_)
    return shared_->begin(turns->ended(*user_));
  turns->remove_waiting(*user_, number_);
  shared_->waiting.erase(number_);
}

void http_client_call::rest() {
  leave_turn();
  if (is_over_ || spare_ != 0)
    return;
  spare_ = shared_->thread.spare().add([weak = weak_from_this()] {
    if (auto self = weak.lock())
      self->give_connection();
  });
  shared_->resting.insert(spare_);
  if (shared_->resting.size() <= http_client_shared::most_resting)
    return;
  const auto oldest = *shared_->resting.begin();
  shared_->resting.erase(oldest);
  shared_->thread.spare().close(oldest);
}

/// Closes the connection at once, and reports the failure later.
void http_client_call::give_connection() {
  if (connection_)
    connection_->close();
  shared_->thread.post([self = shared_from_this()] {
    if (!self->is_over_)
      self->fail("its connection was needed for another");
  });
}

// -- connecting ----------------------------------------------------------------------------

void http_client_call::begin() {
  if (is_over_)
    return;
  if (auto why = prepare(); !why.empty())
    return fail(std::move(why));
  connection_ = shared_->pool->extract(to_.origin());
  is_reused_ = connection_ != nullptr;
  if (is_reused_)
    converse();
  else
    connect();
}

/// Parses the URL and makes the head. Returns why the call cannot be sent; empty when it can.
std::string http_client_call::prepare() {
  std::string why_not;
  if (auto to = protocol::parse_http_url(what_.url, why_not)) {
    to_ = std::move(*to);
    head_text_ = request_head(what_, to_, why_not);
  }
  return why_not;
}

void http_client_call::connect() {
  std::string why_not;
  auto tls = to_.is_secure ? shared_->options.trust->read(why_not) : nullptr;
  if (!why_not.empty())
    return fail(std::move(why_not));
  connection_ = std::make_shared<byte_stream>(byte_stream::tcp::socket{shared_->thread.context()});
  expect_within(shared_->options.connect, "while connecting");
  auto on_end = [self = shared_from_this(), tls](auto error, const auto& why) {
    const auto is_short = error.category() == boost::system::system_category() && is_shortage(error.value());
    if (is_short && self->shared_->thread.spare().close_oldest())
      self->connect();
    else if (error)
      self->fail(why, is_short);
    else
      self->on_connected(tls);
  };
  connection_->connect({to_.host, to_.port}, shared_->options.connect, std::move(on_end), what_.may);
}

void http_client_call::on_connected(const byte_stream::tls_context& tls) {
  connection_->keep_alive();
  if (tls)
    secure(tls);
  else
    converse();
}

void http_client_call::secure(const byte_stream::tls_context& tls) {
  auto with = connection_->begin_tls(tls);
  SSL_set_alpn_protos(with, http_1_1, sizeof http_1_1);
  if (!expect_host(with, to_.host))
    return fail("cannot ask " + to_.host + " for its certificate");
  connection_->handshake(boost::asio::ssl::stream_base::client, [self = shared_from_this()](auto error) {
    if (error)
      self->fail(why_handshake_failed(self->connection_->tls(), self->to_.host, error));
    else
      self->converse();
  });
}

// -- conversing ----------------------------------------------------------------------------

/// Reads while it writes: a server may answer before it has read all, and then close.
void http_client_call::converse() {
  answer_.emplace(shared_->options.head_limit, what_.method == "HEAD");
  await_head();
  connection_->write(head_text_, what_.body, [self = shared_from_this()] {
    if (!self->is_over_ && !self->answer_->has_head())
      self->await_head();
  });
  read();
}

void http_client_call::read() {
  connection_->read([self = shared_from_this()](auto error, auto bytes) { self->on_read(error, bytes); });
}

void http_client_call::on_read(boost::system::error_code error, std::string_view bytes) {
  if (is_over_)
    return;
  if (error || bytes.empty())
    on_lost(why_ended(error));
  else if (answer_->feed(bytes))
    tell_news();
  else
    fail(answer_->why_not());
}

/// Repeats the call where allowed: a server may close a kept connection just as it is used again (RFC 9112, 9.3.1).
void http_client_call::on_lost(const std::string& why) {
  if (is_reused_ && answer_->is_untouched() && may_be_repeated()) {
    is_reused_ = false;
    connection_->close();
    return connect();
  }
  if (!why.empty())
    return fail("the connection was lost: " + why);
  if (!answer_->finish())
    return fail(answer_->why_not());
  finish();
}

/// Reports new parts of the answer. Any event may abort the call.
void http_client_call::tell_news() {
  auto told = events_;
  auto head = answer_->take_head();
  if (head && follows(*head))
    return begin_again();
  if (head && told->head)
    told->head(std::move(*head));
  if (is_over_)
    return;
  if (auto body = answer_->take_body(); !body.empty() && told->body)
    told->body(std::move(body));
  if (is_over_)
    return;
  if (answer_->is_done())
    return finish();
  if (answer_->has_head())
    expect_within(either(what_.silence, shared_->options.silence), "without a byte of the answer");
  read();
}

/// Whether to follow a redirect. 301 and 302 would make a GET of a POST.
bool http_client_call::follows(const http_answer_head& head) {
  const auto keeps_request = head.status == 307 || head.status == 308;
  const auto keeps_get = what_.method == "GET" && (head.status == 301 || head.status == 302);
  if ((!keeps_request && !keeps_get) || !std::exchange(what_.follows, false))
    return false;
  const auto target = protocol::resolved(what_.url, head.field("Location"));
  if (head.field("Location").empty() || !target || !protocol::same_origin(*target, what_.url))
    return false;
  what_.url = *target;
  return true;
}

/// Repeats the call at another URL. The connection is used again only when nothing is left on it.
void http_client_call::begin_again() {
  leave_connection();
  begin();
}

// -- patience ------------------------------------------------------------------------------

void http_client_call::await_head() {
  expect_within(either(what_.head_timeout, shared_->options.head), "while waiting for the answer");
}

void http_client_call::expect_within(milliseconds time, const char* what) {
  const auto end = time > milliseconds{0} ? clock::now() + time : clock::time_point::max();
  const auto is_last = last_ < end;
  awaited_ = is_last ? "before the answer was complete" : what;
  patience_ = is_last ? what_.whole : time;
  deadline_ = std::min(end, last_);
  arm();
}

/// Sets the timer. If it fires too early, the deadline is checked again: a body of many pieces sets it once.
void http_client_call::arm() {
  if (armed_ <= deadline_)
    return;
  armed_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](auto error) {
    if (!error)
      self->on_time();
  });
}

void http_client_call::on_time() {
  armed_ = clock::time_point::max();
  if (is_over_)
    return;
  if (clock::now() < deadline_)
    arm();
  else
    fail("timed out after " + duration_text(patience_) + " " + awaited_);
}

// -- the end -------------------------------------------------------------------------------

void http_client_call::leave_connection() {
  if (answer_->is_done() && answer_->keeps_alive() && connection_->is_written())
    shared_->pool->keep(connection_, to_.origin());
  else
    connection_->close();
}

/// Gives the connection to the next call before any callback.
void http_client_call::finish() {
  leave_connection();
  auto told = end();
  if (told->end)
    told->end();
}

void http_client_call::fail(std::string why, bool is_shortage) {
  if (connection_)
    connection_->close();
  auto told = end();
  if (told->failed)
    told->failed(std::move(why), is_shortage);
}

void http_client_call::abort() {
  if (is_over_)
    return;
  if (connection_)
    connection_->close();
  end();
}

std::shared_ptr<http_call_events> http_client_call::end() {
  is_over_ = true;
  timer_.cancel();
  shared_->thread.spare().remove(spare_);
  shared_->resting.erase(spare_);
  leave_turn();
  if (auto tell = std::exchange(over_, nullptr))
    tell();
  return std::move(events_);
}

} // namespace troupe::net
