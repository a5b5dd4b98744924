#include "protocol/delivery/http_delivery.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::protocol {

namespace {

std::string id_of(const std::string& answer) {
  auto read = read_message(answer);
  auto one = std::get_if<message>(&read);
  return one ? one->id : std::string{};
}

rejection foreign_event() {
  return {400, error_code::invalid_request, "Bad Request: Last-Event-ID is malformed or of another session"};
}

} // namespace

void listening_streams::joined(exchange_id stream, time_point now, effects& out) {
  if (std::find(present_.begin(), present_.end(), stream) != present_.end())
    return;
  present_.push_back(stream);
  flush(out);
  if (shadows() <= most_shadows_)
    return;
  auto oldest_shadow = std::next(present_.begin());
  all_.finish(*oldest_shadow, now, out);
  present_.erase(oldest_shadow);
}

void listening_streams::left(exchange_id stream, effects& out) {
  auto found = std::find(present_.begin(), present_.end(), stream);
  if (found == present_.end())
    return;
  present_.erase(found);
  flush(out);
}

void listening_streams::end(time_point now, effects& out) {
  for (auto stream : present_)
    all_.finish(stream, now, out);
  present_.clear();
}

bool listening_streams::send(message what, effects& out) {
  auto to = primary();
  if (!to)
    return waiting_.push(std::move(what));
  all_.send(*to, std::move(what.text), is_request(what), out);
  return true;
}

std::optional<exchange_id> listening_streams::primary() const {
  if (present_.empty())
    return std::nullopt;
  return present_.front();
}

void listening_streams::flush(effects& out) {
  if (present_.empty())
    return;
  for (auto& one : waiting_.extract_all())
    send(std::move(one), out);
}

/// Forgets answered requests of a batch: a restore fails only the unanswered ones.
void post::answer(std::string text, streams& all, time_point now, effects& out) {
  --unanswered_;
  if (batch_)
    std::erase(requests_, id_of(text));
  if (state_ == state::json && !batch_ && unanswered_ == 0) {
    out.emplace_back(reply{exchange_, std::move(text)});
    return;
  }
  if (state_ == state::json)
    answers_.push_back(std::move(text));
  else if (state_ == state::stream)
    all.send(exchange_, std::move(text), true, out);
  finish(all, now, out);
}

void post::skip(const std::string& id, streams& all, time_point now, effects& out) {
  if (state_ == state::json)
    return answer(error_text(id, error_code::request_cancelled, "Request cancelled"), all, now, out);
  --unanswered_;
  std::erase(requests_, id);
  all.answers(exchange_, requests_, out);
  finish(all, now, out);
}

void post::precede(std::string text, bool vital, streams& all, time_point now, effects& out) {
  become_stream(all, now, out);
  all.send(exchange_, std::move(text), vital, out);
}

void post::tick(time_point now, streams& all, effects& out) {
  if (now >= deadline())
    become_stream(all, now, out);
}

void post::keep_role(const streams& all, effects& out) const {
  if (state_ == state::stream)
    all.answers(exchange_, requests_, out);
}

void post::abandon(streams& all, time_point now, effects& out) {
  if (state_ == state::stream)
    all.finish(exchange_, now, out);
  else if (state_ == state::json)
    out.push_back(reject{exchange_, {500, error_code::internal_error, "Session ended before the request completed"}});
}

void post::become_stream(streams& all, time_point now, effects& out) {
  if (state_ != state::json)
    return;
  state_ = state::stream;
  all.answers(exchange_, requests_, out);
  all.open(exchange_, streams::kind::call, now, out);
  for (auto& text : answers_)
    all.send(exchange_, std::move(text), true, out);
  answers_.clear();
}

void post::finish(streams& all, time_point now, effects& out) {
  if (unanswered_ != 0)
    return;
  if (state_ == state::stream)
    all.finish(exchange_, now, out);
  else if (state_ == state::json)
    out.push_back(reply{exchange_, "[" + joined(answers_, ",") + "]"});
}

http_delivery::http_delivery(const http_limits& limits, std::string tag)
    : patience_{limits.patience}, resumable_patience_{limits.resumable_patience},
      streams_{limits.stream, std::move(tag),
               std::make_unique<memory_store>(limits.stream.stored_events, limits.stream.stored_bytes,
                                              limits.stream.all_stored_bytes)},
      listening_{streams_, limits.shadows, {limits.waiting, limits.waiting_bytes, limits.all_waiting_bytes}} {}

// -- actions of the client --------------------------------------------------------------

void http_delivery::listens(exchange_id exchange, std::string_view last, time_point now, effects& out) {
  if (last.empty())
    begin_listening(exchange, now, out);
  else
    resume(exchange, last, now, out);
}

void http_delivery::begin_listening(exchange_id exchange, time_point now, effects& out) {
  streams_.open(exchange, streams::kind::listen, now, out);
  listening_.joined(exchange, now, out);
}

void http_delivery::resume(exchange_id exchange, std::string_view last, time_point now, effects& out) {
  switch (streams_.resume(exchange, last, now, out)) {
  case streams::outcome::foreign:
    out.push_back(reject{exchange, foreign_event()});
    break;
  case streams::outcome::resumed:
    if (auto stream = streams_.carried_by(exchange); stream && streams_.listens(*stream))
      listening_.joined(*stream, now, out);
    break;
  case streams::outcome::waits:
  case streams::outcome::ended:
    break;
  }
}

void http_delivery::posted(exchange_id exchange, bool batch, std::vector<std::string> requests, time_point now,
                           effects& out) {
  if (requests.empty()) {
    out.push_back(accept{exchange});
    return;
  }
  posts_.try_emplace(exchange, exchange, batch, std::move(requests), now + patience_);
  first_.add(now + patience_);
}

void http_delivery::posted_initialize(exchange_id exchange, effects&) {
  posts_.emplace(exchange, post{exchange, false, {{}}, time_point::max()});
  initialize_ = exchange;
}

loss http_delivery::lost(exchange_id exchange, time_point now, effects& out) {
  if (auto stream = streams_.carried_by(exchange)) {
    streams_.detach(exchange, now, out);
    if (streams_.attached(*stream))
      return loss::request;
    listening_.left(*stream, out);
    return loss::stream;
  }
  streams_.detach(exchange, now, out);
  if (auto found = find(exchange); found != posts_.end())
    found->second.lost();
  return initialize_ != 0 && exchange == initialize_ ? loss::session : loss::request;
}

// -- messages of the session --------------------------------------------------------------

void http_delivery::opened(exchange_id exchange, std::string text, std::string_view version, effects& out) {
  posts_.erase(exchange);
  initialize_ = 0;
  agree_on(version);
  out.push_back(reply{exchange, std::move(text), true});
}

/// Answers with a JSON-RPC error if the HTTP status must be that of a success: after an answer, or with other requests.
void http_delivery::refused(exchange_id exchange, rejection why, time_point now, effects& out) {
  auto found = find(exchange);
  if (found != posts_.end() && !found->second.may_be_refused())
    return answer(exchange, error_text(why.id, why.code, why.text), now, out);
  posts_.erase(exchange);
  initialize_ = exchange == initialize_ ? exchange_id{0} : initialize_;
  out.push_back(reject{exchange, std::move(why)});
}

void http_delivery::answer(exchange_id exchange, std::string text, time_point now, effects& out) {
  if (auto found = find(exchange); found != posts_.end()) {
    found->second.answer(std::move(text), streams_, now, out);
    settle(found);
  }
}

void http_delivery::withdraw(exchange_id exchange, const std::string& id, time_point now, effects& out) {
  if (auto found = find(exchange); found != posts_.end()) {
    found->second.skip(id, streams_, now, out);
    settle(found);
  }
}

void http_delivery::progress(exchange_id exchange, std::string text, time_point now, effects& out) {
  if (auto found = find(exchange); found != posts_.end())
    found->second.precede(std::move(text), false, streams_, now, out);
}

std::optional<exchange_id> http_delivery::related(message what, time_point now, effects& out) {
  auto with = sole_post();
  if (with == posts_.end() && listening_.empty())
    with = latest_post();
  if (with != posts_.end()) {
    first_.changed();
    with->second.precede(std::move(what.text), is_request(what), streams_, now, out);
    return with->first;
  }
  auto primary = listening_.primary().value_or(0);
  if (!listening_.send(std::move(what), out))
    return std::nullopt;
  return primary;
}

void http_delivery::unrelated(message what, time_point now, effects& out) {
  auto with = listening_.empty() ? sole_post() : posts_.end();
  if (with == posts_.end()) {
    listening_.send(std::move(what), out);
    return;
  }
  first_.changed();
  with->second.precede(std::move(what.text), false, streams_, now, out);
}

void http_delivery::follow(exchange_id exchange, message what, time_point now, effects& out) {
  if (auto found = find(exchange); found != posts_.end())
    found->second.precede(std::move(what.text), true, streams_, now, out);
  else
    listening_.send(std::move(what), out);
}

/// Finds a POST for a change that may also change its deadline.
http_delivery::posts::iterator http_delivery::find(exchange_id exchange) {
  first_.changed();
  return posts_.find(exchange);
}

/// Returns the only call in flight, unless its client is unreachable while a listening stream is open.
http_delivery::posts::iterator http_delivery::sole_post() {
  if (posts_.size() != 1)
    return posts_.end();
  auto one = latest_post();
  return one != posts_.end() && (one->second.reachable(streams_) || listening_.empty()) ? one : posts_.end();
}

http_delivery::posts::iterator http_delivery::latest_post() {
  auto usable = [&](auto& one) { return !one.second.is_lost() && one.first != initialize_; };
  auto found = std::find_if(posts_.rbegin(), posts_.rend(), usable);
  return found == posts_.rend() ? posts_.end() : std::prev(found.base());
}

/// Removes a POST that has all its answers.
void http_delivery::settle(posts::iterator one) {
  if (one->second.done())
    posts_.erase(one);
}

/// Priming events exist since 2025-11-25 (transports, "Sending Messages to the Server" 6).
void http_delivery::agree_on(std::string_view version) {
  auto primes = version >= "2025-11-25";
  streams_.prime(primes);
  if (primes)
    patience_ = std::min(patience_, resumable_patience_);
}

void http_delivery::keep_roles(effects& out) const {
  streams_.keep_listeners(out);
  for (auto& [exchange, one] : posts_)
    one.keep_role(streams_, out);
}

void http_delivery::restore(std::string_view version, const std::vector<saved_event>& events, exchange_id last,
                            time_point now, effects& out) {
  agree_on(version);
  streams_.restore(events, last, now, out);
}

void http_delivery::end(time_point now, effects& out) {
  for (auto& [exchange, one] : posts_)
    one.abandon(streams_, now, out);
  posts_.clear();
  listening_.end(now, out);
}

// -- time and counts -----------------------------------------------------------------------

void http_delivery::tick(time_point now, effects& out) {
  if (first_.may_be_late(now)) {
    for (auto& [exchange, one] : posts_)
      one.tick(now, streams_, out);
    first_.look(posts_, deadline_of);
  }
  for (auto stream : streams_.tick(now, out))
    listening_.left(stream, out);
}

time_point http_delivery::deadline() const { return std::min(streams_.deadline(), first_.of(posts_, deadline_of)); }

delivery_counts http_delivery::counts() const {
  delivery_counts result;
  result.primary = listening_.empty() ? 0 : 1;
  result.shadow = listening_.shadows() + streams_.waiting();
  result.detached = streams_.detached();
  result.call = streams_.size() - result.detached - result.primary - listening_.shadows();
  result.waiting = listening_.waiting().size();
  result.dropped = listening_.waiting().dropped();
  result.stored_events = streams_.stored().events();
  result.stored_bytes = streams_.stored().bytes();
  return result;
}

} // namespace troupe::protocol
