// Reading of a remote server's answers over Streamable HTTP.

#include "protocol/message/modern_refusal.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/remote/remote_answer.hpp"
#include "protocol/remote/remote_streamable.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

const std::string session_over = "The remote server ended the session";

/// Time to await the other answers once one of them says that the session is over.
constexpr std::chrono::seconds last_heads{1};

bool is_session_id(std::string_view text) {
  constexpr std::size_t longest = 1024;
  auto is_visible = [](char c) { return c > ' ' && c < '\x7f'; };
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), is_visible);
}

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

// -- the head ------------------------------------------------------------------------

void remote_streamable::head(http_call_id call, int status, const http_fields& fields, time_point now,
                             remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end() || at->second.is == exchange_kind::rest)
    return;
  auto& one = at->second;
  one.status = status;
  one.refusal = refusal_text(status, fields, options_.url);
  one.is_stream = form_of(field_value(fields, "Content-Type")) == remote_answer::form::events;
  if (one.is != exchange_kind::cancelled)
    one.deadline = until(now, one.patience);
  if (one.at.attempts <= 1)
    note_refusal(status, fields, out);
  if (is_gone(one))
    return forgotten(at, now, out);
  if (one.is == exchange_kind::request)
    return request_head(at, fields, now, out);
  if (one.is == exchange_kind::stream)
    return stream_head(at, fields, now, out);
  if (one.is == exchange_kind::cancelled)
    return cancelled_head(at, fields, now, out);
  if (!one.refusal.empty())
    out.push_back(log_note{log_note::weight::warning, "a message was refused: " + one.refusal});
  arrived(one);
  settle(at, now, out);
}

/// Only a stream may carry further messages besides the answer, which no user awaits.
void remote_streamable::cancelled_head(exchanges::iterator at, const http_fields& fields, time_point now,
                                       remote_effects& out) {
  auto& one = at->second;
  auto form = form_of(field_value(fields, "Content-Type"));
  if (!one.refusal.empty() || form == remote_answer::form::unread)
    drop(at, out);
  else if (form == remote_answer::form::events)
    one.answer = remote_answer{form, options_.message};
  else
    settle(at, now, out);
}

/// Session gone: 404 (2025-11-25, transports, "Session Management" 4). A 404 to the first listening GET does not count:
/// servers that offer no stream of their own may have no resource there.
bool remote_streamable::is_gone(const exchange& one) const {
  auto never_offered = one.is == exchange_kind::stream && one.id.empty() && !has_listened_;
  return one.status == 404 && one.with_session && !never_offered;
}

/// The refused request did not run, but the rest of an answer that had begun is missing. Other requests in flight are
/// about to be refused likewise.
void remote_streamable::forgotten(exchanges::iterator at, time_point now, remote_effects& out) {
  auto refused = drop(at, out);
  if (refused.is == exchange_kind::stream)
    dialogue_.fail(refused.id, session_over, out);
  expires_at_ = std::min(expires_at_, now + last_heads);
}

void remote_streamable::expire_when_heard(time_point now, remote_effects& out) {
  auto is_unheard = [](auto& one) {
    return one.second.is == exchange_kind::request && !one.second.waits && one.second.status == 0;
  };
  if (now < expires_at_ && std::ranges::any_of(exchanges_, is_unheard))
    return;
  std::vector<std::string> begun;
  for (auto& [call, one] : exchanges_)
    if (!one.waits)
      begun.push_back(one.id);
  for (auto& [id, one] : waiting_)
    begun.push_back(id);
  dialogue_.expire(session_over, begun, out);
}

void remote_streamable::request_head(exchanges::iterator at, const http_fields& fields, time_point now,
                                     remote_effects& out) {
  auto& one = at->second;
  if (!one.refusal.empty())
    return refused_head(at, fields, now, out);
  auto is_initialize = dialogue_.starting() && one.id == dialogue_.initialize_id();
  if (is_initialize && !take_session(fields))
    return dialogue_.fail(one.id, "The remote MCP server gave an invalid session id", out);
  auto form = form_of(field_value(fields, "Content-Type"));
  one.answer = remote_answer{form, options_.message};
  one.opened = now;
  if (form == remote_answer::form::unread)
    dialogue_.fail(drop(at, out).id, "The remote MCP server answered with neither JSON nor a stream of events", out);
}

/// Reads a JSON body, which may be the request's error; no other bodies. An answer that refuses the gateway's
/// credentials is not read either: it is never relayed.
void remote_streamable::refused_head(exchanges::iterator at, const http_fields& fields, time_point now,
                                     remote_effects& out) {
  auto& one = at->second;
  auto relayable = one.status >= 400 && one.status != 401 && one.status != 403;
  if (!relayable || form_of(field_value(fields, "Content-Type")) != remote_answer::form::json)
    return refused(drop(at, out), out);
  one.answer = remote_answer{remote_answer::form::json, std::min(options_.message, longest_refusal)};
  one.deadline = until(now, options_.accept);
}

/// Takes the server's session id, which is sent back in header fields (2025-11-25, transports, "Session Management" 1).
bool remote_streamable::take_session(const http_fields& fields) {
  auto is_it = [](auto& field) { return same_word(field.first, "Mcp-Session-Id"); };
  auto lines = std::count_if(fields.begin(), fields.end(), is_it);
  auto id = field_value(fields, "Mcp-Session-Id");
  if (lines == 1 && is_session_id(id))
    session_ = id;
  return lines == 0 || !session_.empty();
}

void remote_streamable::stream_head(exchanges::iterator at, const http_fields& fields, time_point now,
                                    remote_effects& out) {
  auto& one = at->second;
  auto form = form_of(field_value(fields, "Content-Type"));
  if (one.refusal.empty() && form == remote_answer::form::events) {
    has_listened_ = has_listened_ || one.id.empty();
    one.answer = remote_answer{form, options_.message};
    one.opened = now;
    return;
  }
  auto refused = drop(at, out);
  return refused.id.empty() ? listen_refused(std::move(refused), now, out)
                            : resume_refused(std::move(refused), now, out);
}

/// A server without a listening stream answers 405 (2025-11-25, transports, "Listening for Messages from the Server"
/// 3), or another status. Where credentials are renewed, a 401 or 403 may concern them alone. A server that has
/// forgotten the event may still know the session.
void remote_streamable::listen_refused(exchange one, time_point now, remote_effects& out) {
  if (is_passing(one.status) || ((one.status == 401 || one.status == 403) && options_.renews_credentials))
    return wait(one.id, std::move(one.at), now);
  if (one.status == 400 && !std::exchange(one.at.last_event, {}).empty())
    return wait(one.id, std::move(one.at), now);
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

void remote_streamable::body(http_call_id call, std::string_view bytes, time_point now, remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  auto& one = at->second;
  if (one.is != exchange_kind::rest && one.is != exchange_kind::cancelled)
    one.deadline = until(now, one.patience);
  take_events(at, bytes, now, out);
  if (one.answer.overflowed() && !dialogue_.lost())
    too_long(drop(at, out), now, out);
}

void remote_streamable::take_events(exchanges::iterator at, std::string_view bytes, time_point now,
                                    remote_effects& out) {
  auto& one = at->second;
  auto events = one.answer.feed(bytes);
  auto reached = one.answer.last_event_id();
  if (!events.empty() || (!reached.empty() && reached != one.at.last_event))
    one.at.progressed(reached);
  if (auto retry = one.answer.retry())
    one.at.retry = retry;
  for (auto& one_event : events)
    if (one_event.type == "message" && !dialogue_.lost())
      take(std::move(one_event.data), now, out);
}

void remote_streamable::take(std::string text, time_point now, remote_effects& out) {
  for (auto& id : dialogue_.server_wrote(std::move(text), out))
    settle_request(id, now, out);
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
  wait(one.id, std::move(one.at), now);
}

void remote_streamable::take_json(exchange one, time_point now, remote_effects& out) {
  auto text = one.answer.take_text();
  if (!one.refusal.empty()) {
    auto error = error_in(text);
    if (error && is_of_other_era(one, *error))
      return dialogue_.lose("the remote MCP server does not speak revisions with sessions any more", out);
    if (error && is_modern_refusal(one, *error)) {
      perhaps_mistaken_ = may_be_mistaken(one) ? one.refusal + words_of(text) : "";
      text = under_id(std::move(*error), one.id).text;
    } else if (!error || !names_request(error->id, one.id)) {
      return refused_with(std::move(one), text, out);
    }
  }
  take(std::move(text), now, out);
  dialogue_.fail(one.id, "The remote MCP server's answer held no response to the request", out);
}

/// Accepts an error that names no request: a header field of the request may have been wrong.
bool remote_streamable::is_modern_refusal(const exchange& one, const message& error) const {
  auto is_initialize = dialogue_.starting() && one.id == dialogue_.initialize_id();
  return is_initialize && options_.era == server_era::automatic && is_surely_modern(error, one.status) &&
         answers(error, one.id);
}

/// Whether a stateless (2026-07-28) server has replaced the server of the session.
bool remote_streamable::is_of_other_era(const exchange& one, const message& error) const {
  return !dialogue_.starting() && options_.era == server_era::automatic && one.status == 400 &&
         is_surely_modern(error, one.status) && answers(error, one.id);
}

void remote_streamable::refused_with(exchange one, const std::string& text, remote_effects& out) {
  one.refusal += words_of(text);
  refused(one, out);
}

} // namespace troupe::protocol
