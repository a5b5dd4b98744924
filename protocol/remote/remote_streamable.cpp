#include "protocol/remote/remote_streamable.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/remote/remote_caller.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

namespace {

/// Time that messages wait for the stream of the server's own messages. Some servers begin that stream only with its
/// first message.
constexpr std::chrono::milliseconds first_listen_limit{500};

/// Limit of streams of cancelled requests.
constexpr std::ptrdiff_t most_cancelled = 8;

/// Error text for a request whose exchange ends by silence.
const std::string silent = "The remote MCP server fell silent before it answered";

const std::string session_over = "The remote server ended the session";

/// Time to await the other answers once one of them says that the session is over.
constexpr std::chrono::seconds last_heads{1};

/// Whether a later attempt may succeed.
bool is_passing(int status) {
  return status == 408 || status == 409 || status == 429 || (status >= 500 && status != 501);
}

/// Parses an error response; empty for any other text.
std::optional<message> error_in(const std::string& text) {
  auto read = read_message(text);
  auto one = std::get_if<message>(&read);
  auto is_error = one && one->kind == message_kind::response && find_member(one->text, {"error"});
  return is_error ? std::optional{std::move(*one)} : std::nullopt;
}

} // namespace

remote_streamable::remote_streamable(const remote_options& options, remote_caller& caller, remote_dialogue& dialogue,
                                     std::uint64_t seed)
    : options_{options}, caller_{caller}, dialogue_{dialogue}, detection_{options}, reconnects_{seed} {}

// -- sending ----------------------------------------------------------------------

/// Listens for the server's own messages as soon as the server is initialized.
void remote_streamable::begin(time_point now, remote_effects& out) {
  if (session_.is_ending())
    return expire_when_heard(now, out);
  if (!dialogue_.opened() || std::exchange(listening_, true))
    return;
  first_listen_ = connect({}, {}, now, out);
  first_listen_until_ = now + first_listen_limit;
}

bool remote_streamable::ready() const { return is_listened_to() && !session_.is_ending(); }

/// Whether the first GET is answered or no longer awaited. Most servers lose messages sent before their stream begins,
/// and a message on another connection may overtake the GET.
bool remote_streamable::is_listened_to() const {
  auto* first = exchanges_.find(first_listen_);
  return !first || first->status != 0;
}

void remote_streamable::post(message what, time_point now, remote_effects& out) {
  const auto cancels = is_cancellation(what);
  auto* carrier = cancels ? exchanges_.carrier(what.reference) : nullptr;
  auto when = carrier ? carrier->received_by() : now;
  if (cancels && cancel(what.reference, now, out))
    return;
  if (when > now)
    cancellations_.emplace(when, std::move(what));
  else
    post_now(std::move(what), now, out);
}

void remote_streamable::post_now(message what, time_point now, remote_effects& out) {
  exchange one{what, session_, options_, now};
  exchanges_.make_room([](auto& other) { return other.is == exchange_kind::rest; }, out);
  if (exchanges_.is_full())
    return over(std::move(one), "Too much is on its way to the remote MCP server", now, out);
  auto turn = one.is == exchange_kind::request ? call_priority::request : call_priority::message;
  auto with = session_.fields(dialogue_.version());
  auto call = caller_.post(options_.url, std::move(what), std::move(with), one.patience, turn, out);
  exchanges_.add(call, std::move(one), now);
}

/// True when the server never got the request and needs no notification. Closing the request's connection would not
/// cancel it (2025-11-25, transports, "Sending Messages to the Server" 6).
bool remote_streamable::cancel(const std::string& id, time_point now, remote_effects& out) {
  reconnects_.forget(id);
  auto* one = exchanges_.carrier(id);
  if (!one)
    return false;
  if (one->waits)
    return exchanges_.drop(*one, out).is == exchange_kind::request;
  keep_open(*one, now, out);
  return false;
}

/// Few streams of cancelled requests stay open: the oldest is dropped for the next.
void remote_streamable::keep_open(exchange& one, time_point now, remote_effects& out) {
  exchanges_.unlink(one);
  one.cancel(now, out);
  auto is_cancelled = [](auto& other) { return other.is == exchange_kind::cancelled; };
  if (exchanges_.count(is_cancelled) > most_cancelled)
    exchanges_.drop(*exchanges_.oldest(is_cancelled), out);
}

void remote_streamable::receive_event(http_call_id call, const call_begun&, time_point now, remote_effects&) {
  if (auto* one = exchanges_.begun(call, now))
    one->posted = now;
}

/// Sends a GET: to resume the answer to a request, or, without an id, to listen.
http_call_id remote_streamable::connect(const std::string& id, resume_point at, time_point now, remote_effects& out) {
  auto with = session_.fields(dialogue_.version());
  if (!at.last_event.empty())
    with.emplace_back("Last-Event-ID", at.last_event);
  auto requester = at.requester;
  exchange one{id, std::move(at), session_, options_};
  auto turn = id.empty() ? call_priority::uncounted : call_priority::resumed_request;
  auto call = caller_.get(options_.url, std::move(with), one.patience, turn, std::move(requester), out);
  exchanges_.add(call, std::move(one), now);
  return call;
}

void remote_streamable::end_session(remote_effects& out) const {
  if (session_.has_id())
    out.push_back(send_last_request{"DELETE", options_.url, caller_.fields(session_.fields(dialogue_.version()))});
}

// -- time -------------------------------------------------------------------------

void remote_streamable::tick(time_point now, remote_effects& out) {
  if (session_.is_ending())
    return;
  if (now >= first_listen_until_ && !is_listened_to())
    assume_received(out);
  exchanges_.drop_late(now, out, [&](exchange one) { fell_silent(std::move(one), now, out); });
  for (auto& stream : reconnects_.extract_due(now))
    connect(stream.id, std::move(stream.at), now, out);
  while (!cancellations_.empty() && now >= cancellations_.begin()->first)
    post_now(std::move(cancellations_.extract(cancellations_.begin()).mapped()), now, out);
}

void remote_streamable::assume_received(remote_effects& out) {
  first_listen_ = 0;
  out.push_back(log_note{log_note::weight::debug, "server has not begun the stream of its own messages in time: it may "
                                                  "lose some that it says before"});
}

time_point remote_streamable::deadline() const {
  if (session_.is_ending())
    return session_.end();
  auto first = std::min(exchanges_.deadline(), reconnects_.deadline());
  if (!is_listened_to())
    first = std::min(first, first_listen_until_);
  if (!cancellations_.empty())
    first = std::min(first, cancellations_.begin()->first);
  return first;
}

// -- the head ------------------------------------------------------------------------

void remote_streamable::receive_event(http_call_id call, const call_head& news, time_point now, remote_effects& out) {
  auto& [status, fields] = news;
  auto* one = exchanges_.find(call);
  if (!one || one->is == exchange_kind::rest)
    return;
  one->receive_head(status, fields, options_.url);
  one->is_stream = form_of(field_value(fields, "Content-Type")) == remote_answer::form::events;
  one->note_received(now);
  if (one->at.attempts <= 1)
    note_refusal(status, fields, out);
  if (is_gone(*one))
    return forgotten(*one, now, out);
  if (one->is == exchange_kind::request)
    return request_head(*one, fields, now, out);
  if (one->is == exchange_kind::stream)
    return stream_head(*one, fields, now, out);
  if (one->is == exchange_kind::cancelled)
    return cancelled_head(*one, fields, now, out);
  if (!one->refusal.empty())
    out.push_back(log_note{log_note::weight::warning, "a message was refused: " + one->refusal});
  arrived(*one);
  one->settle(now, out);
}

/// Only a stream may carry further messages besides the answer, which no user awaits.
void remote_streamable::cancelled_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out) {
  auto form = form_of(field_value(fields, "Content-Type"));
  if (!one.refusal.empty() || form == remote_answer::form::unread)
    exchanges_.drop(one, out);
  else if (form == remote_answer::form::events)
    one.read(form, options_);
  else
    one.settle(now, out);
}

/// Session gone: 404 (2025-11-25, transports, "Session Management" 4). A 404 to the first listening GET does not count:
/// servers that offer no stream of their own may have no resource there.
bool remote_streamable::is_gone(const exchange& one) const {
  return one.status == 404 && one.with_session && (has_listened_ || !one.listens());
}

/// The refused request did not run, but the rest of an answer that had begun is missing. Other requests in flight are
/// about to be refused likewise.
void remote_streamable::forgotten(exchange& one, time_point now, remote_effects& out) {
  auto refused = exchanges_.drop(one, out);
  if (refused.is == exchange_kind::stream)
    dialogue_.fail(refused.id, session_over, out);
  session_.ends_by(now + last_heads);
}

void remote_streamable::expire_when_heard(time_point now, remote_effects& out) {
  auto is_unheard = [](auto& one) { return one.is == exchange_kind::request && !one.waits && one.status == 0; };
  if (now < session_.end() && exchanges_.oldest(is_unheard))
    return;
  std::vector<std::string> begun;
  exchanges_.for_each([&](auto& one) {
    if (!one.waits)
      begun.push_back(one.id);
  });
  for (auto& id : reconnects_.ids())
    begun.push_back(id);
  dialogue_.expire(session_over, begun, out);
}

void remote_streamable::request_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out) {
  if (!one.refusal.empty())
    return refused_head(one, fields, now, out);
  if (dialogue_.initializes(one.id) && !session_.read_id(fields))
    return dialogue_.fail(one.id, "The remote MCP server gave an invalid session id", out);
  auto form = form_of(field_value(fields, "Content-Type"));
  one.read(form, options_);
  one.opened = now;
  if (form == remote_answer::form::unread)
    dialogue_.fail(exchanges_.drop(one, out).id,
                   "The remote MCP server answered with neither JSON nor a stream of events", out);
}

/// Reads a JSON body, which may be the request's error; no other bodies. An answer that refuses the gateway's
/// credentials is not read either: it is never relayed.
void remote_streamable::refused_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out) {
  auto relayable = one.status >= 400 && one.status != 401 && one.status != 403;
  if (!relayable || form_of(field_value(fields, "Content-Type")) != remote_answer::form::json)
    return refused(exchanges_.drop(one, out), out);
  one.read_refusal(options_, now);
}

void remote_streamable::stream_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out) {
  auto form = form_of(field_value(fields, "Content-Type"));
  if (one.refusal.empty() && form == remote_answer::form::events) {
    has_listened_ = has_listened_ || one.listens();
    one.read(form, options_);
    one.opened = now;
    return;
  }
  auto refused = exchanges_.drop(one, out);
  return refused.id.empty() ? listen_refused(std::move(refused), now, out)
                            : resume_refused(std::move(refused), now, out);
}

/// A server without a listening stream answers 405 (2025-11-25, transports, "Listening for Messages from the Server"
/// 3), or another status. Where credentials are renewed, a 401 or 403 may concern them alone. A server that has
/// forgotten the event may still know the session.
void remote_streamable::listen_refused(exchange one, time_point now, remote_effects& out) {
  if (is_passing(one.status) || ((one.status == 401 || one.status == 403) && options_.renews_credentials))
    return reconnects_.wait(one.id, std::move(one.at), now);
  if (one.status == 400 && !std::exchange(one.at.last_event, {}).empty())
    return reconnects_.wait(one.id, std::move(one.at), now);
  out.push_back(log_note{log_note::weight::debug,
                         "server offers no stream of its own messages (HTTP " + std::to_string(one.status) + ")"});
}

void remote_streamable::resume_refused(exchange one, time_point now, remote_effects& out) {
  auto why =
      "The remote MCP server closed the stream before it answered (resumed: HTTP " + std::to_string(one.status) + ")";
  if (is_passing(one.status))
    return interrupted(std::move(one), why, now, out);
  dialogue_.fail(one.id, why, out);
}

// -- the body -------------------------------------------------------------------------

void remote_streamable::receive_event(http_call_id call, const call_body& news, time_point now, remote_effects& out) {
  auto* one = exchanges_.find(call);
  if (!one)
    return;
  one->note_received(now);
  for (auto& text : one->feed(news.bytes))
    if (!dialogue_.lost())
      receive_text(std::move(text), now, out);
  if (one->answer.overflowed() && !dialogue_.lost())
    too_long(exchanges_.drop(*one, out), now, out);
}

void remote_streamable::receive_text(std::string text, time_point now, remote_effects& out) {
  for (auto& id : dialogue_.server_wrote(std::move(text), out)) {
    reconnects_.forget(id);
    if (auto* one = exchanges_.carrier(id)) {
      exchanges_.unlink(*one);
      one->settle(now, out);
    }
  }
}

/// A listening stream restarts without an event id: resuming would bring the event that is too long again.
void remote_streamable::too_long(exchange one, time_point now, remote_effects& out) {
  if (!one.refusal.empty())
    return refused(one, out);
  out.push_back(log_note{log_note::weight::warning, "server wrote a message that is too long"});
  if (one.is == exchange_kind::cancelled)
    return;
  if (!one.id.empty())
    return dialogue_.fail(one.id, "The remote MCP server's answer " + too_long_text(options_.message), out);
  one.at.last_event.clear();
  reconnects_.wait(one.id, std::move(one.at), now);
}

void remote_streamable::receive_json(exchange one, time_point now, remote_effects& out) {
  auto text = one.answer.take_text();
  if (!one.refusal.empty()) {
    auto error = error_in(text);
    if (error && !dialogue_.starting() && detection_.is_replaced(one, *error))
      return dialogue_.lose("the remote MCP server does not speak revisions with sessions any more", out);
    if (error && dialogue_.initializes(one.id) && detection_.note_error(one, *error, text)) {
      text = under_id(std::move(*error), one.id).text;
    } else if (!error || !names_request(error->id, one.id)) {
      one.refusal += words_of(text);
      return refused(one, out);
    }
  }
  receive_text(std::move(text), now, out);
  dialogue_.fail(one.id, "The remote MCP server's answer held no response to the request", out);
}

// -- how exchanges end --------------------------------------------------------------

void remote_streamable::receive_event(http_call_id call, const call_ended&, time_point now, remote_effects& out) {
  auto one = exchanges_.extract(call);
  if (one && one->answer.is() == remote_answer::form::json)
    receive_json(std::move(*one), now, out);
  else if (one)
    over(std::move(*one), "The remote MCP server closed the stream before it answered", now, out);
}

void remote_streamable::receive_event(http_call_id call, const call_failed& news, time_point now, remote_effects& out) {
  if (auto one = exchanges_.extract(call)) {
    auto text = one->cut_off_by(news.why);
    over(std::move(*one), text, now, out);
  }
}

void remote_streamable::receive_event(http_call_id call, const call_withheld& news, time_point now,
                                      remote_effects& out) {
  if (auto one = exchanges_.extract(call))
    over(std::move(*one), no_token_text(news.why), now, out);
}

/// Ends an exchange without a complete answer.
void remote_streamable::over(exchange one, const std::string& why, time_point now, remote_effects& out) {
  switch (one.is) {
  case exchange_kind::rest:
  case exchange_kind::cancelled:
    return;
  case exchange_kind::request:
  case exchange_kind::stream:
    return one.refusal.empty() ? interrupted(std::move(one), why, now, out) : refused(one, out);
  default:
    out.push_back(log_note{log_note::weight::warning, "a message did not arrive: " + why});
    arrived(one);
  }
}

/// A request that was never sent cannot be resumed.
void remote_streamable::fell_silent(exchange one, time_point now, remote_effects& out) {
  if (one.waits && one.is == exchange_kind::request)
    return dialogue_.fail(one.id, std::string{never_sent}, out);
  over(std::move(one), silent, now, out);
}

/// Resumes an interrupted answer if the server gave an event id (2025-11-25, transports, "Resumability and
/// Redelivery"); always resumes a listening stream.
void remote_streamable::interrupted(exchange one, const std::string& why, time_point now, remote_effects& out) {
  one.interrupted(now);
  if (one.id.empty())
    return reconnects_.wait(one.id, std::move(one.at), now);
  if (!dialogue_.in_flight(one.id))
    return;
  if (one.at.last_event.empty() || one.at.attempts >= resume_point::most_attempts)
    return dialogue_.fail(one.id, why, out);
  reconnects_.wait(one.id, std::move(one.at), now);
}

void remote_streamable::refused(const exchange& one, remote_effects& out) {
  if (!dialogue_.initializes(one.id) || !detection_.note_refusal(one))
    dialogue_.fail(one.id, one.refusal, out);
}

/// A message that needs no answer has reached the server, or never will.
void remote_streamable::arrived(const exchange& one) {
  if (one.is == exchange_kind::initialized)
    dialogue_.initialized_arrived();
}

void remote_streamable::drop_all(remote_effects& out) {
  exchanges_.drop_all(out);
  reconnects_.clear();
  cancellations_.clear();
}

} // namespace troupe::protocol
