#include "protocol/remote/streamable_exchange.hpp"

#include "protocol/remote/http_transport.hpp"

namespace troupe::protocol {

namespace {

/// A connection that lasted this long counts as progress even without data: proxies cut quiet connections.
constexpr std::chrono::seconds long_stay{30};

/// Delay of a cancellation after its request. Both use different connections, and a cancellation that overtakes its
/// request has no effect.
constexpr std::chrono::milliseconds head_start{250};

/// Limit of time for streams of cancelled requests: a server without another stream may still send requests there.
constexpr std::chrono::minutes longest_cancelled{5};

} // namespace

streamable_exchange::streamable_exchange(const message& what, const remote_session& in, const remote_options& options,
                                         time_point now)
    : with_session{in.has_id()}, posted{now} {
  patience = options.accept;
  if (is_request(what)) {
    is = kind::request;
    id = what.id;
    patience = options.read;
    at.requester = what.requester;
  } else if (what.is_method("notifications/initialized")) {
    is = kind::initialized;
  }
}

streamable_exchange::streamable_exchange(const std::string& of_request, resume_point from, const remote_session& in,
                                         const remote_options& options)
    : is{kind::stream}, with_session{in.has_id()}, at{std::move(from)} {
  id = of_request;
  patience = id.empty() ? options.listen_silence : options.read;
}

time_point streamable_exchange::received_by() const { return status != 0 ? time_point::min() : posted + head_start; }

void streamable_exchange::note_received(time_point now) {
  if (is != kind::rest && is != kind::cancelled)
    deadline = until(now, patience);
}

void streamable_exchange::read_refusal(const remote_options& options, time_point now) {
  answer = remote_answer{remote_answer::form::json, std::min(options.message, longest_refusal)};
  deadline = until(now, options.accept);
}

std::vector<std::string> streamable_exchange::feed(std::string_view bytes) {
  auto events = answer.feed(bytes);
  auto reached = answer.last_event_id();
  if (!events.empty() || (!reached.empty() && reached != at.last_event))
    at.progressed(reached);
  if (auto retry = answer.retry())
    at.retry = retry;
  std::vector<std::string> messages;
  for (auto& one : events)
    if (one.type == "message")
      messages.push_back(std::move(one.data));
  return messages;
}

void streamable_exchange::interrupted(time_point now) {
  if (opened != time_point{} && now - opened >= long_stay)
    at.progressed({});
}

void streamable_exchange::cancel(time_point now, remote_effects& out) {
  id.clear();
  is = kind::cancelled;
  deadline = now + longest_cancelled;
  out.push_back(release_call{call, true});
}

void streamable_exchange::settle(time_point now, remote_effects& out) {
  is = kind::rest;
  deadline = now + longest_rest;
  if (is_stream)
    out.push_back(release_call{call, true});
}

} // namespace troupe::protocol
