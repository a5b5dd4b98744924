#include "protocol/remote/remote_sse.hpp"

#include "protocol/message/skipped_message.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

// -- sending ------------------------------------------------------------------------

void remote_sse::begin(time_point now, remote_effects& out) {
  if (stream_ != 0)
    return;
  stream_ = caller_.get(options_.url, {}, options_.listen_silence, call_priority::uncounted, {}, out);
  stream_open_ = true;
  stream_deadline_ = until(now, options_.endpoint);
}

/// Without a session id, since the transport has none; but any version may have been negotiated.
http_fields remote_sse::fields() const {
  if (dialogue_.version().empty())
    return {};
  return {{"MCP-Protocol-Version", dialogue_.version()}};
}

void remote_sse::post(message what, time_point now, remote_effects& out) {
  if (is_cancellation(what))
    if (auto* one = exchanges_.carrier(what.reference))
      return cancel(*one, std::move(what), out);
  auto one = begin_exchange(what);
  exchanges_.make_room([](auto& other) { return other.arrived(); }, out);
  if (exchanges_.is_full())
    return undelivered(one, "Too much is on its way to the remote MCP server", out);
  auto turn = one.id.empty() ? call_priority::message : call_priority::request;
  auto call = caller_.post(endpoint_, std::move(what), fields(), one.patience, turn, out);
  exchanges_.add(call, std::move(one), now);
}

remote_sse::exchange remote_sse::begin_exchange(const message& what) const {
  exchange one;
  one.id = is_request(what) ? what.id : std::string{};
  one.initialized = what.is_method("notifications/initialized");
  one.patience = options_.accept;
  return one;
}

/// Drops a request that waits for a connection instead of cancelling it: it was never sent.
void remote_sse::cancel(exchange& unheard_one, message what, remote_effects& out) {
  if (unheard_one.waits)
    exchanges_.drop(unheard_one, out);
  else
    unheard_one.cancellation = std::move(what);
}

// -- answers and the stream -------------------------------------------------------------

void remote_sse::receive_event(http_call_id call, const call_head& news, time_point now, remote_effects& out) {
  auto& [status, fields] = news;
  note_refusal(status, fields, out);
  if (call == stream_)
    return stream_head(status, fields, out);
  auto* one = exchanges_.find(call);
  if (!one || one->arrived())
    return;
  auto refusal = refusal_text(status, fields, endpoint_);
  if (!refusal.empty())
    undelivered(*one, refusal, out);
  one->status = status;
  one->deadline = now + longest_rest;
  exchanges_.unlink(*one);
  if (form_of(field_value(fields, "Content-Type")) == remote_answer::form::events)
    out.push_back(release_call{call, true}); // the stream may stay open, but brings no messages
  if (refusal.empty())
    accepted(*one, now, out);
}

void remote_sse::accepted(exchange& one, time_point now, remote_effects& out) {
  if (one.initialized)
    dialogue_.initialized_arrived();
  if (auto cancellation = std::exchange(one.cancellation, {}))
    post(std::move(*cancellation), now, out);
}

void remote_sse::stream_head(int status, const http_fields& fields, remote_effects& out) {
  auto refusal = refusal_text(status, fields, options_.url);
  if (refusal.empty() && form_of(field_value(fields, "Content-Type")) != remote_answer::form::events)
    refusal = "The remote MCP server answered without a stream of events";
  if (!refusal.empty())
    stream_lost(refusal, out);
}

void remote_sse::receive_event(http_call_id call, const call_body& news, time_point now, remote_effects& out) {
  if (call != stream_)
    return;
  for (auto& one : answer_.feed(news.bytes))
    if (!dialogue_.lost())
      receive_event(std::move(one), out);
  if (ready())
    stream_deadline_ = until(now, options_.listen_silence);
  for (auto& one : answer_.take_skipped())
    if (!dialogue_.lost())
      receive_skipped(one, now, out);
}

/// Continues after an event that is too long, since the stream carries the answers to all calls.
void remote_sse::receive_skipped(const skipped_line& event, time_point now, remote_effects& out) {
  auto judged = classify_skipped(event.head, event.tail, options_.message);
  out.push_back(log_note{log_note::weight::warning,
                         "server wrote a message that " + too_long_text(options_.message) + "; it was " + judged.what});
  if (judged.for_server && ready())
    post(std::move(*judged.for_server), now, out);
  if (judged.for_user)
    dialogue_.server_wrote(std::move(judged.for_user->text), out);
}

void remote_sse::receive_event(event one, remote_effects& out) {
  if (one.type == "endpoint")
    receive_endpoint(one.data, out);
  else if (one.type == "message")
    dialogue_.server_wrote(std::move(one.data), out);
}

/// Requires the origin of the configured URL, because requests to the endpoint carry credentials. The specification
/// (2024-11-05, transports, "HTTP with SSE") leaves this to clients.
void remote_sse::receive_endpoint(const std::string& reference, remote_effects& out) {
  auto url = resolved(options_.url, reference);
  if (!url)
    return stream_lost("The remote MCP server named an endpoint that is no URL", out);
  if (!same_origin(*url, options_.url))
    return stream_lost("The remote MCP server named an endpoint of another origin", out);
  endpoint_ = std::move(*url);
}

void remote_sse::receive_event(http_call_id call, const call_ended&, time_point, remote_effects& out) {
  over(call, "The remote MCP server closed its stream", "The remote MCP server did not answer", out);
}

void remote_sse::receive_event(http_call_id call, const call_failed& news, time_point, remote_effects& out) {
  const auto why = one_line(news.why);
  over(call, "The stream of the remote MCP server broke: " + why, "The remote MCP server did not answer: " + why, out);
}

void remote_sse::receive_event(http_call_id call, const call_withheld& news, time_point, remote_effects& out) {
  const auto why = no_token_text(news.why);
  over(call, why, why, out);
}

/// Ends the stream or a POST.
void remote_sse::over(http_call_id call, const std::string& why_lost, const std::string& why_undelivered,
                      remote_effects& out) {
  if (call == stream_ && std::exchange(stream_open_, false))
    return stream_lost(why_lost, out);
  if (auto one = exchanges_.extract(call))
    undelivered(*one, why_undelivered, out);
}

void remote_sse::tick(time_point now, remote_effects& out) {
  if (now >= stream_deadline_)
    return stream_lost(ready() ? "The stream of the remote MCP server fell silent"
                               : "The remote MCP server named no endpoint in time",
                       out);
  exchanges_.drop_late(now, out, [&](const exchange& one) {
    undelivered(one, one.waits ? std::string{never_sent} : "The remote MCP server did not accept the request", out);
  });
}

time_point remote_sse::deadline() const { return std::min(stream_deadline_, exchanges_.deadline()); }

// -- ends ---------------------------------------------------------------------------

/// Fails `initialize` first: its error says more than that of a disconnected server.
void remote_sse::stream_lost(const std::string& why, remote_effects& out) {
  if (dialogue_.starting())
    dialogue_.fail(dialogue_.initialize_id(), why, out);
  dialogue_.lose(why, out);
}

void remote_sse::undelivered(const exchange& one, const std::string& why, remote_effects& out) {
  if (one.arrived())
    return;
  if (one.initialized)
    dialogue_.initialized_arrived();
  if (one.id.empty())
    out.push_back(log_note{log_note::weight::warning, "a message did not arrive: " + why});
  else
    dialogue_.fail(one.id, why, out);
}

void remote_sse::drop_all(remote_effects& out) {
  if (stream_open_)
    out.push_back(drop_call{stream_});
  stream_open_ = false;
  exchanges_.drop_all(out);
  stream_deadline_ = time_point::max();
}

} // namespace troupe::protocol
