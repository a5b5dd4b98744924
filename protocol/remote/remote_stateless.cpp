#include "protocol/remote/remote_stateless.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"
#include "protocol/remote/remote_caller.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::protocol {

namespace {

/// Limit of streams of which only the rest is read.
constexpr std::ptrdiff_t most_stateless_rests = 8;

/// Longest tool call kept to be sent once more, in bytes.
constexpr std::size_t longest_kept_call = std::size_t{64} << 10;

bool is_mismatch(const message& answer) { return error_code_of(answer) == error_code::header_mismatch; }

/// Whether an error names no request and has a code foreign to 2026-07-28, such as for a missing session id.
bool is_foreign(const message& answer) { return answer.id.empty() && !has_result(answer) && !may_be_modern(answer); }

log_note ignored(std::string what) { return {log_note::weight::warning, "server wrote " + std::move(what)}; }

} // namespace

// -- sending ----------------------------------------------------------------------

void remote_stateless::post(message what, time_point now, remote_effects& out) {
  if (is_cancellation(what))
    return cancel(what.reference, out);
  if (!is_request(what))
    return;
  if (exchanges_.is_full())
    return dialogue_.fail(what.id, "Too much is on its way to the remote MCP server", out);
  auto one = begin_exchange(what);
  if (one.is == purpose::discovery)
    discovery_ = what;
  if (what.is_method("tools/call"))
    keep(one, what);
  send(std::move(one), std::move(what), now, out);
}

remote_stateless::exchange remote_stateless::begin_exchange(const message& what) const {
  auto is = !spoke_ && what.is_method("server/discover") ? purpose::discovery : purpose::request;
  exchange one{
      .is = is, .lists_tools = what.is_method("tools/list"), .listens = what.is_method("subscriptions/listen")};
  one.id = what.id;
  one.patience = options_.read;
  return one;
}

void remote_stateless::keep(exchange& one, const message& what) {
  if (what.text.size() > longest_kept_call)
    return;
  if (auto bytes = kept_.try_acquire(what.text.size()))
    one.kept.emplace(kept_call{what, std::move(*bytes)});
}

void remote_stateless::send(exchange one, message what, time_point now, remote_effects& out) {
  auto fields = repeated_fields(what, rules_);
  auto silence = one.listens ? options_.listen_silence : one.patience;
  auto call = caller_.post(options_.url, std::move(what), std::move(fields), silence, call_priority::request, out);
  exchanges_.add(call, std::move(one), now);
}

/// Cancels by closing the answer (2026-07-28, cancellation).
void remote_stateless::cancel(const std::string& id, remote_effects& out) {
  mismatched_.drop(id);
  if (auto* one = exchanges_.carrier(id))
    exchanges_.drop(*one, out);
}

// -- the head of an answer ------------------------------------------------------------

void remote_stateless::receive_event(http_call_id call, const call_head& news, time_point now, remote_effects& out) {
  auto& [status, fields] = news;
  auto* one = exchanges_.find(call);
  if (!one)
    return;
  one->receive_head(status, fields, options_.url);
  one->deadline = until(now, one->patience);
  note_refusal(status, fields, out);
  auto form = form_of(field_value(fields, "Content-Type"));
  if (!one->refusal.empty())
    return refuse_head(*one, form == remote_answer::form::json, now, out);
  one->answer = remote_answer{form, options_.message};
  if (form == remote_answer::form::unread)
    return over(exchanges_.drop(*one, out), "The remote MCP server answered with neither JSON nor a stream of events",
                now, out);
  if (one->listens && form == remote_answer::form::events)
    open_stream(*one, now, out);
}

/// A subscription lasts, and may be silent for as long as nothing changes (2026-07-28, subscriptions).
void remote_stateless::open_stream(exchange& one, time_point now, remote_effects& out) {
  one.patience = options_.listen_silence;
  one.deadline = until(now, one.patience);
  out.push_back(release_call{one.call});
}

void remote_stateless::refuse_head(exchange& one, bool is_json, time_point now, remote_effects& out) {
  if (!is_json || !may_hold_error(one.status))
    return over(exchanges_.drop(one, out), {}, now, out);
  one.answer = remote_answer{remote_answer::form::json, std::min(options_.message, longest_refusal)};
  one.deadline = until(now, options_.accept);
}

// -- the body -------------------------------------------------------------------------

void remote_stateless::receive_event(http_call_id call, const call_body& news, time_point now, remote_effects& out) {
  auto* one = exchanges_.find(call);
  if (!one)
    return;
  const auto was_open = !one->id.empty();
  if (was_open)
    one->deadline = until(now, one->refusal.empty() ? one->patience : options_.accept);
  for (auto& event : one->answer.feed(news.bytes))
    if (event.type == "message" && !dialogue_.lost())
      receive_text(*one, std::move(event.data), now, out);
  if (one->answer.overflowed() && !dialogue_.lost())
    return too_long(exchanges_.drop(*one, out), now, out);
  if (was_open && one->id.empty() && one->answer.is() == remote_answer::form::events)
    release(*one, out);
}

/// Releases a stream whose answer is complete, so that no other request waits for its end. Few such streams stay open,
/// as their remaining events are not read.
void remote_stateless::release(const exchange& one, remote_effects& out) {
  out.push_back(release_call{one.call, true});
  auto rests = [](auto& other) { return other.id.empty() && other.answer.is() == remote_answer::form::events; };
  if (exchanges_.count(rests) <= most_stateless_rests)
    return;
  const exchange* first = nullptr;
  exchanges_.for_each([&](auto& other) {
    if (rests(other) && (!first || other.deadline < first->deadline))
      first = &other;
  });
  exchanges_.drop(*first, out);
}

/// Ignores messages after the answer (2026-07-28, transports, "Sending Messages to the Server").
void remote_stateless::receive_text(exchange& one, std::string text, time_point now, remote_effects& out) {
  if (one.id.empty())
    return;
  const text_ends ends{text};
  auto read = read_message(std::move(text));
  if (auto bad = std::get_if<rejection>(&read))
    return receive_malformed(one, ends, bad->text, now, out);
  auto& from = std::get<message>(read);
  if (from.kind == message_kind::request)
    out.push_back(ignored("a request, which 2026-07-28 does not have"));
  else if (is_notification(from))
    out.push_back(deliver_message{std::move(from), one.id});
  else if (answers(from, one.id))
    receive_response(one, std::move(from), now, out);
  else
    out.push_back(ignored("the answer to another request"));
}

/// Fails only users' requests, since a malformed answer says nothing about the era.
void remote_stateless::receive_malformed(exchange& one, const text_ends& text, std::string_view why, time_point now,
                                         remote_effects& out) {
  out.push_back(ignored("something that is no MCP message: " + one_line(why)));
  auto judged = classify_malformed(text, why);
  if (one.is == purpose::request && judged.for_user && answers(*judged.for_user, one.id))
    receive_response(one, std::move(*judged.for_user), now, out);
}

void remote_stateless::receive_response(exchange& one, message from, time_point now, remote_effects& out) {
  exchanges_.unlink(one);
  auto id = std::exchange(one.id, {});
  one.deadline = now + longest_rest;
  if (one.lists_tools) {
    rules_.learn(find_member(from.text, {"result"}).value_or("{}"));
    from = with_usable_tools(std::move(from), is_noted_, out);
  }
  if (one.is == purpose::tools_page)
    return receive_page(from, now, out);
  if (one.is == purpose::check)
    return has_result(from) ? void(checks_ = false) : lose_as_other_era(out);
  if (one.kept && is_mismatch(from)) {
    mismatched_.add(std::move(*one.kept), under_id(std::move(from), id));
    return list_tools({}, now, out);
  }
  one.kept.reset();
  const auto is_doubtful = spoke_ && is_foreign(from);
  spoke_ = spoke_ || one.is == purpose::request || has_result(from);
  dialogue_.server_sent(under_id(std::move(from), id), out);
  if (is_doubtful)
    check_era(now, out);
}

void remote_stateless::too_long(exchange one, time_point now, remote_effects& out) {
  if (one.refusal.empty())
    out.push_back(ignored("a message that is too long"));
  over(one, "The remote MCP server's answer " + too_long_text(options_.message), now, out);
}

// -- the end --------------------------------------------------------------------------

void remote_stateless::receive_event(http_call_id call, const call_ended&, time_point now, remote_effects& out) {
  auto one = exchanges_.extract(call);
  if (one && one->answer.is() == remote_answer::form::json)
    receive_json(std::move(*one), now, out);
  else if (one)
    over(*one, "The remote MCP server closed the stream before it answered", now, out);
}

void remote_stateless::receive_json(exchange one, time_point now, remote_effects& out) {
  auto text = one.answer.take_text();
  if (!one.refusal.empty()) {
    one.refusal += words_of(text);
    auto read = read_message(text);
    auto error = std::get_if<message>(&read);
    if (!error || error->kind != message_kind::response || has_result(*error) || !answers(*error, one.id))
      return over(one, {}, now, out);
  }
  receive_text(one, std::move(text), now, out);
  over(one, "The remote MCP server's answer held no response to the request", now, out);
}

void remote_stateless::receive_event(http_call_id call, const call_failed& news, time_point now, remote_effects& out) {
  if (auto one = exchanges_.extract(call))
    broken(*one, one->cut_off_by(news.why), now, out);
}

void remote_stateless::receive_event(http_call_id call, const call_withheld& news, time_point now,
                                     remote_effects& out) {
  if (auto one = exchanges_.extract(call))
    broken(*one, no_token_text(news.why), now, out);
}

/// Whether a failed `server/discover` leaves no other era to try. Servers with sessions refuse unknown requests in any
/// way, so every failure lets `initialize` be tried, unless that was refused before.
bool remote_stateless::is_last_try(const exchange& one) const {
  return dialogue_.has_refused_initialize() && !one.refusal.empty() && !is_about_request(one.status);
}

/// Ends an exchange; a request without an answer fails.
void remote_stateless::over(const exchange& one, const std::string& why, time_point now, remote_effects& out) {
  if (one.id.empty())
    return;
  if (one.is == purpose::tools_page)
    return fail_mismatched(out);
  if (one.is == purpose::check)
    return end_check(one, out);
  if (one.is == purpose::discovery && is_last_try(one))
    return dialogue_.lose_by(one.id, one.refusal, out);
  const auto& text = one.refusal.empty() ? why : one.refusal;
  if (one.is == purpose::discovery && !is_about_request(one.status))
    return dialogue_.fail_unanswered(one.id, text, out);
  dialogue_.fail(one.id, text, out);
  if (one.is == purpose::request && may_lack_session(one.status))
    check_era(now, out);
}

/// Like `over`, for an answer that the server did not end.
void remote_stateless::broken(const exchange& one, const std::string& why, time_point now, remote_effects& out) {
  if (one.is == purpose::discovery && one.refusal.empty() && !one.id.empty())
    return dialogue_.lose_by(one.id, why, out);
  over(one, why, now, out);
}

void remote_stateless::drop_all(remote_effects& out) {
  exchanges_.drop_all(out);
  mismatched_.extract_all();
}

// -- requests of our own --------------------------------------------------------------

/// Joins the listing in progress, if any: further calls wait for its result.
void remote_stateless::list_tools(std::string_view cursor, time_point now, remote_effects& out) {
  auto lists = [](auto& one) { return one.is == purpose::tools_page && !one.id.empty(); };
  if (exchanges_.oldest(lists))
    return;
  ++pages_;
  auto what = mismatched_.list_request(cursor);
  auto one = begin_exchange(what);
  one.is = purpose::tools_page;
  send(std::move(one), std::move(what), now, out);
}

void remote_stateless::receive_page(const message& from, time_point now, remote_effects& out) {
  auto next = find_member(from.text, {"result", "nextCursor"});
  if (!mismatched_.empty() && next && next->starts_with('"') && pages_ < mismatched_calls::most_pages)
    list_tools(*next, now, out);
  else if (has_result(from))
    send_mismatched(now, out);
  else
    fail_mismatched(out);
}

void remote_stateless::send_mismatched(time_point now, remote_effects& out) {
  pages_ = 0;
  for (auto& one : mismatched_.extract_all()) {
    auto again = begin_exchange(one.call.what);
    send(std::move(again), std::move(one.call.what), now, out);
  }
}

void remote_stateless::fail_mismatched(remote_effects& out) {
  pages_ = 0;
  for (auto& one : mismatched_.extract_all())
    dialogue_.server_sent(std::move(one.error), out);
}

/// Starts a check unless one is in progress.
void remote_stateless::check_era(time_point now, remote_effects& out) {
  if (!discovery_ || std::exchange(checks_, true))
    return;
  auto one = begin_exchange(*discovery_);
  one.is = purpose::check;
  send(std::move(one), *discovery_, now, out);
}

void remote_stateless::end_check(const exchange& one, remote_effects& out) {
  checks_ = false;
  if (!one.refusal.empty() && is_about_request(one.status))
    lose_as_other_era(out);
}

void remote_stateless::lose_as_other_era(remote_effects& out) {
  dialogue_.lose("the remote MCP server does not speak 2026-07-28 any more", out);
}

// -- time -------------------------------------------------------------------------

void remote_stateless::tick(time_point now, remote_effects& out) {
  exchanges_.drop_late(now, out, [&](const exchange& one) {
    broken(one, one.waits ? std::string{never_sent} : "The remote MCP server fell silent before it answered", now, out);
  });
}

} // namespace troupe::protocol
