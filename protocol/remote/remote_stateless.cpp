#include "protocol/remote/remote_stateless.hpp"

#include "protocol/message/message_parts.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/remote/answered_request.hpp"
#include "protocol/remote/repeated_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

namespace {

/// Most exchanges at a time, including those whose answers are only read to their end.
constexpr std::size_t most_stateless_exchanges = 2 * remote_dialogue::most;

/// Whether an error may be the server's own word on the request: 400 and 404 are the statuses that the revision gives
/// to some of its errors (2026-07-28, transports, "Sending Messages to the Server"); some servers use 405 as well.
bool may_hold_error(int status) { return status == 400 || status == 404 || status == 405; }

/// Whether a refusal with that status can come of the request's being of 2026-07-28. Others are about credentials, load
/// or what lies between us and the server.
bool is_about_request(int status) {
  constexpr std::array<int, 6> about_others{401, 403, 407, 408, 425, 429};
  return status >= 400 && status < 500 && std::ranges::find(about_others, status) == about_others.end();
}

log_note ignored(std::string what) { return {log_note::weight::warning, "server wrote " + std::move(what)}; }

} // namespace

// -- sending ----------------------------------------------------------------------

void remote_stateless::post(message what, time_point now, remote_effects& out) {
  if (what.is_method("notifications/cancelled"))
    return cancel(what.reference, out);
  if (!is_request(what))
    return;
  if (exchanges_.size() >= most_stateless_exchanges)
    return dialogue_.fail(what.id, "Too much is on its way to the remote MCP server", out);
  exchange one{.id = what.id,
               .lists_tools = what.is_method("tools/list"),
               .listens = what.is_method("subscriptions/listen"),
               .finds_era = !spoke_ && what.is_method("server/discover"),
               .patience = options_.read};
  one.deadline = until(now, one.patience);
  auto fields = repeated_fields(what, rules_);
  auto silence = one.listens ? options_.listen_silence : one.patience;
  auto call = caller_.post(options_.url, std::move(what), std::move(fields), silence, call_turn::request, out);
  exchanges_.emplace(call, std::move(one));
}

/// 2026-07-28, cancellation: to close the answer is the cancellation.
void remote_stateless::cancel(const std::string& id, remote_effects& out) {
  auto at = std::ranges::find_if(exchanges_, [&](auto& one) { return one.second.id == id; });
  if (at != exchanges_.end() && !id.empty())
    drop(at, out);
}

void remote_stateless::waits(http_call_id call) {
  if (auto at = exchanges_.find(call); at != exchanges_.end())
    at->second.waits = true;
}

void remote_stateless::begun(http_call_id call, time_point now) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  at->second.waits = false;
  at->second.deadline = until(now, at->second.patience);
}

// -- the head of an answer ------------------------------------------------------------

void remote_stateless::head(http_call_id call, int status, const http_fields& fields, time_point now,
                            remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  auto& one = at->second;
  one.status = status;
  one.deadline = until(now, one.patience);
  one.refusal = refusal_text(status, fields, options_.url);
  auto form = form_of(field_value(fields, "Content-Type"));
  if (!one.refusal.empty())
    return refuse_head(at, form == remote_answer::form::json, now, out);
  one.answer = remote_answer{form, options_.message};
  if (form == remote_answer::form::unread)
    return over(drop(at, out), "The remote MCP server answered with neither JSON nor a stream of events", out);
  if (one.listens && form == remote_answer::form::events)
    open_stream(at, now, out);
}

/// A subscription lasts, and may be silent for as long as nothing changes (2026-07-28, subscriptions).
void remote_stateless::open_stream(exchanges::iterator at, time_point now, remote_effects& out) {
  at->second.patience = options_.listen_silence;
  at->second.deadline = until(now, at->second.patience);
  out.push_back(release_call{at->first});
}

void remote_stateless::refuse_head(exchanges::iterator at, bool is_json, time_point now, remote_effects& out) {
  auto& one = at->second;
  if (one.status == 401 || one.status == 403)
    out.push_back(log_note{log_note::weight::warning,
                           "server refused our credentials (HTTP " + std::to_string(one.status) + ")"});
  if (!is_json || !may_hold_error(one.status))
    return over(drop(at, out), {}, out);
  one.answer = remote_answer{remote_answer::form::json, std::min(options_.message, longest_refusal)};
  one.deadline = until(now, options_.accept);
}

// -- its body -------------------------------------------------------------------------

void remote_stateless::body(http_call_id call, std::string_view bytes, time_point now, remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  auto& one = at->second;
  if (!one.id.empty())
    one.deadline = until(now, one.refusal.empty() ? one.patience : options_.accept);
  for (auto& event : one.answer.feed(bytes))
    if (event.type == "message" && !dialogue_.lost())
      take(one, std::move(event.data), now, out);
  if (one.answer.overflowed() && !dialogue_.lost())
    too_long(drop(at, out), out);
}

/// What follows the answer says nothing (2026-07-28, transports, "Sending Messages to the Server").
void remote_stateless::take(exchange& one, std::string text, time_point now, remote_effects& out) {
  if (one.id.empty())
    return;
  auto read = read_message(std::move(text));
  if (auto bad = std::get_if<rejection>(&read))
    return out.push_back(ignored("something that is no MCP message: " + one_line(bad->text)));
  auto& from = std::get<message>(read);
  if (from.kind == message_kind::request)
    out.push_back(ignored("a request, which 2026-07-28 does not have"));
  else if (from.kind == message_kind::notification)
    dialogue_.server_sent(std::move(from), out);
  else if (answers(from, one.id))
    take_answer(one, std::move(from), now, out);
  else
    out.push_back(ignored("the answer to another request"));
}

void remote_stateless::take_answer(exchange& one, message from, time_point now, remote_effects& out) {
  if (one.lists_tools)
    rules_.learn(find_member(from.text, {"result"}).value_or("{}"));
  spoke_ = true;
  dialogue_.server_sent(under_id(std::move(from), one.id), out);
  one.id.clear();
  one.deadline = now + longest_rest;
}

void remote_stateless::too_long(exchange one, remote_effects& out) {
  if (one.refusal.empty())
    out.push_back(ignored("a message that is too long"));
  over(one, "The remote MCP server's answer " + too_long_text(options_.message), out);
}

// -- its end --------------------------------------------------------------------------

void remote_stateless::ended(http_call_id call, time_point now, remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  auto one = remove(at);
  if (one.answer.is() == remote_answer::form::json)
    return take_json(std::move(one), now, out);
  over(one, "The remote MCP server closed the stream before it answered", out);
}

void remote_stateless::take_json(exchange one, time_point now, remote_effects& out) {
  auto text = one.answer.take_text();
  if (!one.refusal.empty()) {
    one.refusal += words_of(text);
    auto read = read_message(text);
    auto error = std::get_if<message>(&read);
    if (!error || error->kind != message_kind::response || has_result(*error) || !answers(*error, one.id))
      return over(one, {}, out);
  }
  take(one, std::move(text), now, out);
  over(one, "The remote MCP server's answer held no response to the request", out);
}

void remote_stateless::failed(http_call_id call, const std::string& why, time_point, remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  auto one = remove(at);
  auto text = one.status == 0 ? "The remote MCP server did not answer: "
                              : "The connection to the remote MCP server broke before it answered: ";
  broken(one, text + one_line(why), out);
}

void remote_stateless::withheld(http_call_id call, const std::string& why, time_point, remote_effects& out) {
  if (auto at = exchanges_.find(call); at != exchanges_.end())
    broken(remove(at), why, out);
}

/// A request that has no answer yet gets none.
void remote_stateless::over(const exchange& one, std::string why, remote_effects& out) {
  if (one.id.empty())
    return;
  if (one.finds_era && !one.refusal.empty() && !is_about_request(one.status))
    return dialogue_.lose_by(one.id, one.refusal, out);
  dialogue_.fail(one.id, one.refusal.empty() ? std::move(why) : one.refusal, out);
}

/// The same, and the server has not ended it.
void remote_stateless::broken(const exchange& one, std::string why, remote_effects& out) {
  if (one.finds_era && one.refusal.empty() && !one.id.empty())
    return dialogue_.lose_by(one.id, std::move(why), out);
  over(one, std::move(why), out);
}

remote_stateless::exchange remote_stateless::remove(exchanges::iterator at) {
  return std::move(exchanges_.extract(at).mapped());
}

remote_stateless::exchange remote_stateless::drop(exchanges::iterator at, remote_effects& out) {
  out.push_back(drop_call{at->first});
  return remove(at);
}

void remote_stateless::drop_all(remote_effects& out) {
  for (auto& [call, one] : exchanges_)
    out.push_back(drop_call{call});
  exchanges_.clear();
}

// -- time -------------------------------------------------------------------------

void remote_stateless::tick(time_point now, remote_effects& out) {
  std::vector<http_call_id> late;
  for (auto& [call, one] : exchanges_)
    if (now >= one.deadline)
      late.push_back(call);
  for (auto call : late) {
    auto one = drop(exchanges_.find(call), out);
    broken(one, one.waits ? std::string{never_sent} : "The remote MCP server fell silent before it answered", out);
  }
}

time_point remote_stateless::deadline() const {
  auto first = time_point::max();
  for (auto& [call, one] : exchanges_)
    first = std::min(first, one.deadline);
  return first;
}

} // namespace troupe::protocol
