#include "protocol/remote/remote_streamable.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::protocol {

namespace {

/// Limit of exchanges, including those of which only the rest is read.
constexpr std::size_t most_exchanges = 2 * remote_dialogue::most;

/// A connection that lasted this long counts as progress even without data: proxies cut quiet connections.
constexpr std::chrono::seconds long_stay{30};

/// Delay of a cancellation after its request. Both use different connections, and a cancellation that overtakes its
/// request has no effect.
constexpr std::chrono::milliseconds head_start{250};

/// Time that messages wait for the stream of the server's own messages. Some servers begin that stream only with its
/// first message.
constexpr std::chrono::milliseconds first_listen_limit{500};

/// Limits of time and number for streams of cancelled requests: a server without another stream may still send requests
/// there.
constexpr std::chrono::minutes longest_cancelled{5};
constexpr std::ptrdiff_t most_cancelled = 8;

/// Error text for a request whose exchange ends by silence.
const std::string silent = "The remote MCP server fell silent before it answered";

} // namespace

remote_streamable::remote_streamable(const remote_options& options, remote_caller& caller, remote_dialogue& dialogue,
                                     std::uint64_t seed)
    : options_{options}, caller_{caller}, dialogue_{dialogue}, dice_{seed} {}

// -- sending ----------------------------------------------------------------------

/// Listens for the server's own messages as soon as the server is initialized.
void remote_streamable::begin(time_point now, remote_effects& out) {
  if (is_expiring())
    return expire_when_heard(now, out);
  if (!dialogue_.opened() || std::exchange(listening_, true))
    return;
  first_listen_ = connect({}, {}, now, out);
  first_listen_until_ = now + first_listen_limit;
}

bool remote_streamable::ready() const { return is_listened_to() && !is_expiring(); }

/// Whether the first GET is answered or no longer awaited. Most servers lose messages sent before their stream begins,
/// and a message on another connection may overtake the GET.
bool remote_streamable::is_listened_to() const {
  auto at = exchanges_.find(first_listen_);
  return at == exchanges_.end() || at->second.status != 0;
}

void remote_streamable::post(message what, time_point now, remote_effects& out) {
  const auto cancels = what.is_method("notifications/cancelled");
  auto when = cancels ? heard_by(what.reference) : now;
  if (cancels && cancel(what.reference, now, out))
    return;
  if (when > now)
    cancellations_.emplace(when, std::move(what));
  else
    post_now(std::move(what), now, out);
}

/// Time by which the server has surely received a request; min() when it has, or when the request is unknown.
time_point remote_streamable::heard_by(const std::string& id) const {
  auto carrier = carriers_.find(id);
  auto at = carrier == carriers_.end() ? exchanges_.end() : exchanges_.find(carrier->second);
  return at == exchanges_.end() || at->second.status != 0 ? time_point::min() : at->second.posted + head_start;
}

void remote_streamable::post_now(message what, time_point now, remote_effects& out) {
  auto one = begin_exchange(what);
  one.posted = now;
  make_room(out);
  if (exchanges_.size() >= most_exchanges)
    return over(std::move(one), "Too much is on its way to the remote MCP server", now, out);
  one.deadline = until(now, one.patience);
  auto turn = one.is == exchange_kind::request ? call_turn::request : call_turn::message;
  auto call = caller_.post(options_.url, std::move(what), fields(), one.patience, turn, out);
  if (one.is == exchange_kind::request)
    carriers_[one.id] = call;
  exchanges_.emplace(call, std::move(one));
}

remote_streamable::exchange remote_streamable::begin_exchange(const message& what) const {
  exchange one{.with_session = !session_.empty(), .patience = options_.accept};
  if (is_request(what)) {
    one.is = exchange_kind::request;
    one.id = what.id;
    one.patience = options_.read;
    one.at.asker = what.asker;
  } else if (what.is_method("notifications/initialized")) {
    one.is = exchange_kind::initialized;
  }
  return one;
}

/// True when the server never got the request and needs no notification. Closing the request's connection would not
/// cancel it (2025-11-25, transports, "Sending Messages to the Server" 6).
bool remote_streamable::cancel(const std::string& id, time_point now, remote_effects& out) {
  waiting_.erase(id);
  auto carrier = carriers_.find(id);
  auto at = carrier == carriers_.end() ? exchanges_.end() : exchanges_.find(carrier->second);
  if (at == exchanges_.end())
    return false;
  if (at->second.waits)
    return drop(at, out).is == exchange_kind::request;
  keep_open(at, now, out);
  return false;
}

void remote_streamable::keep_open(exchanges::iterator at, time_point now, remote_effects& out) {
  carriers_.erase(at->second.id);
  at->second.id.clear();
  at->second.is = exchange_kind::cancelled;
  at->second.deadline = now + longest_cancelled;
  out.push_back(release_call{at->first, true});
  auto is_cancelled = [](auto& one) { return one.second.is == exchange_kind::cancelled; };
  if (std::count_if(exchanges_.begin(), exchanges_.end(), is_cancelled) > most_cancelled)
    drop(std::find_if(exchanges_.begin(), exchanges_.end(), is_cancelled), out);
}

void remote_streamable::waits(http_call_id call) {
  if (auto at = exchanges_.find(call); at != exchanges_.end())
    at->second.waits = true;
}

void remote_streamable::begun(http_call_id call, time_point now) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  at->second.waits = false;
  at->second.posted = now;
  at->second.deadline = until(now, at->second.patience);
}

/// Session and version fields (2025-11-25, transports, "Session Management" 2 and "Protocol Version Header").
http_fields remote_streamable::fields() const {
  http_fields result;
  if (!session_.empty())
    result.emplace_back("Mcp-Session-Id", session_);
  if (!dialogue_.version().empty())
    result.emplace_back("MCP-Protocol-Version", dialogue_.version());
  return result;
}

/// Sends a GET: to resume the answer to a request, or, without an id, to listen.
http_call_id remote_streamable::connect(const std::string& id, resume_point at, time_point now, remote_effects& out) {
  auto with = fields();
  if (!at.last_event.empty())
    with.emplace_back("Last-Event-ID", at.last_event);
  auto asker = at.asker;
  exchange one{.is = exchange_kind::stream, .id = id, .with_session = !session_.empty(), .at = std::move(at)};
  one.patience = id.empty() ? options_.listen_silence : options_.read;
  one.deadline = until(now, one.patience);
  auto turn = id.empty() ? call_turn::uncounted : call_turn::resumed_request;
  auto call = caller_.get(options_.url, std::move(with), one.patience, turn, std::move(asker), out);
  if (!id.empty())
    carriers_[id] = call;
  exchanges_.emplace(call, std::move(one));
  return call;
}

void remote_streamable::farewell(remote_effects& out) const {
  if (!session_.empty())
    out.push_back(say_farewell{"DELETE", options_.url, caller_.fields(fields())});
}

// -- time -------------------------------------------------------------------------

void remote_streamable::tick(time_point now, remote_effects& out) {
  if (is_expiring())
    return;
  if (now >= first_listen_until_ && !is_listened_to())
    go_on_unheard(out);
  std::vector<http_call_id> late;
  for (auto& [call, one] : exchanges_)
    if (now >= one.deadline)
      late.push_back(call);
  for (auto call : late)
    if (auto at = exchanges_.find(call); at != exchanges_.end())
      fell_silent(drop(at, out), now, out);
  std::vector<std::string> due;
  for (auto& [id, one] : waiting_)
    if (now >= one.when)
      due.push_back(id);
  for (auto& id : due)
    connect(id, waiting_.extract(id).mapped().at, now, out);
  while (!cancellations_.empty() && now >= cancellations_.begin()->first)
    post_now(std::move(cancellations_.extract(cancellations_.begin()).mapped()), now, out);
}

void remote_streamable::go_on_unheard(remote_effects& out) {
  first_listen_ = 0;
  out.push_back(log_note{log_note::weight::debug, "server has not begun the stream of its own messages in time: it may "
                                                  "lose some that it says before"});
}

time_point remote_streamable::deadline() const {
  if (is_expiring())
    return expires_at_;
  auto first = is_listened_to() ? time_point::max() : first_listen_until_;
  if (!cancellations_.empty())
    first = std::min(first, cancellations_.begin()->first);
  for (auto& [call, one] : exchanges_)
    first = std::min(first, one.deadline);
  for (auto& [id, one] : waiting_)
    first = std::min(first, one.when);
  return first;
}

// -- how exchanges end --------------------------------------------------------------

void remote_streamable::ended(http_call_id call, time_point now, remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  auto one = remove(at);
  if (one.answer.is() == remote_answer::form::json)
    return take_json(std::move(one), now, out);
  over(std::move(one), "The remote MCP server closed the stream before it answered", now, out);
}

void remote_streamable::failed(http_call_id call, const std::string& why, time_point now, remote_effects& out) {
  auto at = exchanges_.find(call);
  if (at == exchanges_.end())
    return;
  auto one = remove(at);
  auto text = one.status == 0 ? "The remote MCP server did not answer: "
                              : "The connection to the remote MCP server broke before it answered: ";
  over(std::move(one), text + one_line(why), now, out);
}

void remote_streamable::withheld(http_call_id call, const std::string& why, time_point now, remote_effects& out) {
  if (auto at = exchanges_.find(call); at != exchanges_.end())
    over(remove(at), why, now, out);
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
  if (one.opened != time_point{} && now - one.opened >= long_stay)
    one.at.progressed({});
  if (one.id.empty())
    return wait(one.id, std::move(one.at), now);
  if (!dialogue_.in_flight(one.id))
    return;
  if (one.at.last_event.empty() || one.at.attempts >= resume_point::most_attempts)
    return dialogue_.fail(one.id, why, out);
  wait(one.id, std::move(one.at), now);
}

/// Servers of 2024-11-05 refuse a POST to the URL of their stream (2025-11-25, transports, "Backwards Compatibility").
bool remote_streamable::may_be_mistaken(const exchange& one) const {
  constexpr std::array<int, 5> of_other_servers{400, 404, 405, 406, 415};
  auto is_initialize = dialogue_.starting() && one.id == dialogue_.initialize_id();
  auto other = std::find(of_other_servers.begin(), of_other_servers.end(), one.status) != of_other_servers.end();
  return is_initialize && other && one.is == exchange_kind::request && options_.kind == remote_kind::detect;
}

void remote_streamable::refused(const exchange& one, remote_effects& out) {
  if (may_be_mistaken(one))
    mistaken_ = one.refusal;
  else
    dialogue_.fail(one.id, one.refusal, out);
}

/// A message that needs no answer has reached the server, or never will.
void remote_streamable::arrived(const exchange& one) {
  if (one.is == exchange_kind::initialized)
    dialogue_.initialized_arrived();
}

/// Adds jitter, so that clients do not reconnect all at once to a server that comes back.
void remote_streamable::wait(const std::string& id, resume_point at, time_point now) {
  auto pause = at.pause();
  pause += std::chrono::milliseconds{dice_() % static_cast<std::uint64_t>(pause.count() / 10 + 1)};
  ++at.attempts;
  waiting_.insert_or_assign(id, waiting{std::move(at), now + pause});
}

/// Reads the rest of an answer that is no longer needed, so that its connection can be used again. A stream, which may
/// stay open for long, is released so that other requests do not wait for its end.
void remote_streamable::settle(exchanges::iterator at, time_point now, remote_effects& out) {
  auto& [call, one] = *at;
  one.is = exchange_kind::rest;
  one.deadline = now + longest_rest;
  if (one.is_stream)
    out.push_back(release_call{call, true});
}

void remote_streamable::settle_request(const std::string& id, time_point now, remote_effects& out) {
  waiting_.erase(id);
  auto carrier = carriers_.extract(id);
  if (carrier.empty())
    return;
  if (auto at = exchanges_.find(carrier.mapped()); at != exchanges_.end())
    settle(at, now, out);
}

/// At the limit, stops reading the rest of the oldest answer.
void remote_streamable::make_room(remote_effects& out) {
  if (exchanges_.size() < most_exchanges)
    return;
  auto is_rest = [](auto& one) { return one.second.is == exchange_kind::rest; };
  if (auto oldest = std::ranges::find_if(exchanges_, is_rest); oldest != exchanges_.end())
    drop(oldest, out);
}

remote_streamable::exchange remote_streamable::remove(exchanges::iterator at) {
  auto one = std::move(at->second);
  if (auto carrier = carriers_.find(one.id); carrier != carriers_.end() && carrier->second == at->first)
    carriers_.erase(carrier);
  exchanges_.erase(at);
  return one;
}

remote_streamable::exchange remote_streamable::drop(exchanges::iterator at, remote_effects& out) {
  out.push_back(drop_call{at->first});
  return remove(at);
}

void remote_streamable::drop_all(remote_effects& out) {
  for (auto& [call, one] : exchanges_)
    out.push_back(drop_call{call});
  exchanges_.clear();
  carriers_.clear();
  waiting_.clear();
  cancellations_.clear();
}

} // namespace troupe::protocol
