#include "protocol/session.hpp"

#include "protocol/era.hpp"
#include "protocol/http.hpp"
#include "protocol/seconds.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool is_initialize(const message& one) { return one.kind == message_kind::request && one.method == "initialize"; }

bool is_request(const message& one) { return one.kind == message_kind::request; }

rejection refusal(std::string text, std::string id = {}) {
  return {400, error_code::invalid_request, "Bad Request: " + std::move(text), std::move(id)};
}

rejection busy_refusal(int status, std::string text, std::string id) {
  return {status, error_code::internal_error, std::move(text), std::move(id), {{"Retry-After", "1"}}};
}

/// A server is never asked for a revision that we do not know ourselves.
message with_known_version(message from) {
  auto asked = find_member(from.text, {"params", "protocolVersion"});
  auto version = asked ? string_value(*asked) : std::nullopt;
  if (!version || is_session_version(*version))
    return from;
  auto at = static_cast<std::size_t>(asked->data() - from.text.data());
  return made(from.text.replace(at, asked->size(), quoted(newest_session_version)));
}

} // namespace

session::session(const session_limits& limits, std::unique_ptr<delivery> way, time_point now)
    : limits_{limits}, way_{std::move(way)}, begun_{now}, touched_{now}, held_{limits.held, limits.held_bytes} {}

// -- from the client ---------------------------------------------------------------

effects session::client_sent(exchange_id exchange, post_body body, time_point now) {
  effects out;
  if (auto why = refuse(body)) {
    out.push_back(reject{exchange, std::move(*why)});
    return out;
  }
  touched_ = now;
  if (is_initialize(body.messages.front())) {
    begin(exchange, std::move(body.messages.front()), now, out);
    return out;
  }
  auto requests = std::count_if(body.messages.begin(), body.messages.end(), is_request);
  way_->posted(exchange, body.batch, static_cast<std::size_t>(requests), now, out);
  for (auto& one : body.messages) {
    if (phase_ == phase::ended)
      break;
    if (one.kind == message_kind::request)
      take_request(exchange, std::move(one), now, out);
    else if (one.kind == message_kind::notification)
      take_notification(std::move(one), now, out);
    else
      take_response(std::move(one), out);
  }
  return out;
}

std::optional<rejection> session::refuse(const post_body& body) const {
  if (phase_ == phase::ended)
    return session_not_found();
  if (body.batch && version_ != batch_version)
    return refusal("this session's revision has no batches");
  if (auto why = refuse_kinds(body))
    return why;
  return refuse_requests(body);
}

std::optional<rejection> session::refuse_kinds(const post_body& body) const {
  auto is_response = [](const message& one) { return one.kind == message_kind::response; };
  auto responses = std::count_if(body.messages.begin(), body.messages.end(), is_response);
  if (responses != 0 && static_cast<std::size_t>(responses) != body.messages.size())
    return refusal("a batch of responses has nothing else");
  auto initialize = std::find_if(body.messages.begin(), body.messages.end(), is_initialize);
  if (initialize == body.messages.end())
    return std::nullopt;
  if (body.batch)
    return refusal("initialize is never part of a batch");
  if (phase_ != phase::fresh)
    return refusal("this session is already initialized", initialize->id);
  return std::nullopt;
}

std::optional<rejection> session::refuse_requests(const post_body& body) const {
  std::vector<std::string_view> ids;
  auto begun = calls_.size();
  for (auto& one : body.messages) {
    if (!is_request(one))
      continue;
    if (calls_.own_id_of(one.id) || std::find(ids.begin(), ids.end(), one.id) != ids.end())
      return refusal("a request with this id is already in flight", one.id);
    ids.push_back(one.id);
    if (one.method == "ping")
      continue;
    if (phase_ == phase::starting || (phase_ == phase::fresh && !is_initialize(one)))
      return refusal("initialize has not been answered yet", one.id);
    if (draining_)
      return busy_refusal(503, "Service Unavailable: " + *draining_, one.id);
    if (++begun > limits_.calls)
      return busy_refusal(429, "Too Many Requests: too many calls of this session are in flight", one.id);
  }
  return std::nullopt;
}

void session::begin(exchange_id exchange, message from, time_point now, effects& out) {
  phase_ = phase::starting;
  auto until = now + limits_.initialize;
  capabilities_ = read_capabilities(from.text);
  way_->posted_initialize(exchange, out);
  auto own = std::to_string(calls_.add({from.id, from.reference, exchange, until, until}));
  out.push_back(forward{relayed(with_known_version(std::move(from)), own, own)});
}

void session::take_request(exchange_id exchange, message from, time_point now, effects& out) {
  if (from.method == "ping")
    return way_->answer(exchange, empty_result(from.id), now, out);
  call asked{from.id, from.reference, exchange, now + limits_.request, now + limits_.request_cap};
  auto own = std::to_string(calls_.add(std::move(asked)));
  out.push_back(forward{relayed(std::move(from), own, own)});
}

void session::take_notification(message from, time_point now, effects& out) {
  if (from.method == "notifications/cancelled")
    return cancel(std::move(from), now, out);
  if (from.method == "notifications/progress")
    return take_client_progress(std::move(from), now, out);
  auto initialized = from.method == "notifications/initialized";
  out.push_back(forward{std::move(from)});
  if (initialized && phase_ == phase::open)
    release_held(now, out);
}

/// A call that is cancelled gets no answer, but its exchange ends. `initialize` cannot be cancelled.
void session::cancel(message from, time_point now, effects& out) {
  auto own = calls_.own_id_of(from.reference);
  if (!own || phase_ == phase::starting)
    return;
  auto asked = *calls_.take(*own);
  out.push_back(forward{relayed(std::move(from), {}, std::to_string(*own))});
  way_->withdraw(asked.exchange, error_text(asked.id, error_code::request_cancelled, "Request cancelled"), now, out);
  end_when_drained(now, out);
}

void session::take_client_progress(message from, time_point now, effects& out) {
  auto own = own_id(from.reference);
  auto question = own ? questions_.find(*own) : nullptr;
  if (!question || question->token.empty())
    return;
  question->deadline = std::min(now + limits_.question, question->cap);
  out.push_back(forward{relayed(std::move(from), {}, question->token)});
}

void session::take_response(message from, effects& out) {
  auto own = own_id(from.id);
  auto question = own ? questions_.take(*own) : std::nullopt;
  if (question)
    out.push_back(forward{relayed(std::move(from), question->id, {})});
}

void session::release_held(time_point now, effects& out) {
  initialized_ = true;
  for (auto& one : held_.take())
    take_question(std::move(one), now, out);
}

effects session::client_listens(exchange_id exchange, std::string_view last, time_point now) {
  effects out;
  if (phase_ == phase::ended) {
    out.push_back(reject{exchange, session_not_found()});
    return out;
  }
  touched_ = now;
  way_->listens(exchange, last, now, out);
  return out;
}

effects session::client_ends(exchange_id exchange, time_point now) {
  effects out;
  if (phase_ == phase::ended) {
    out.push_back(reject{exchange, session_not_found()});
    return out;
  }
  out.push_back(confirm_end{exchange});
  end("its client ended it", now, out);
  return out;
}

effects session::client_lost(exchange_id exchange, time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  touched_ = now;
  if (!way_->lost(exchange, now, out))
    end("its client left", now, out);
  return out;
}

// -- time and end ------------------------------------------------------------------------

effects session::server_lost(const std::string& why, time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  fail_calls(why, now, out);
  end(why, now, out);
  return out;
}

void session::fail_calls(const std::string& why, time_point now, effects& out) {
  for (auto& [own, asked] : calls_.take_late(time_point::max()))
    way_->answer(asked.exchange, error_text(asked.id, error_code::internal_error, why), now, out);
}

effects session::tick(time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  fail_late_calls(now, out);
  if (phase_ == phase::ended)
    return out;
  fail_late_questions(now, out);
  if (busy())
    touched_ = now;
  way_->tick(now, out);
  if (phase_ == phase::fresh && now >= begun_ + limits_.initialize)
    end("its client did not initialize it", now, out);
  else if (!busy() && now >= touched_ + limits_.idle)
    end("it was idle", now, out);
  return out;
}

void session::fail_late_calls(time_point now, effects& out) {
  for (auto& [own, asked] : calls_.take_late(now)) {
    auto starting = phase_ == phase::starting;
    auto limit = now >= asked.cap && !starting ? limits_.request_cap : starting ? limits_.initialize : limits_.request;
    auto why = "The MCP server did not answer within " + seconds_text(limit);
    way_->answer(asked.exchange, error_text(asked.id, error_code::internal_error, why), now, out);
    if (starting)
      return end(why, now, out);
    out.push_back(forward{made(cancelled_text(std::to_string(own), "timeout"))});
    touched_ = now;
  }
  end_when_drained(now, out);
}

void session::fail_late_questions(time_point now, effects& out) {
  for (auto& [own, asked] : questions_.take_late(now)) {
    out.push_back(forward{made(error_text(asked.id, error_code::internal_error, "The client did not answer in time"))});
    auto cancelled = made(cancelled_text(std::to_string(own), "timeout"));
    way_->follow(asked.exchange, std::move(cancelled), now, out);
  }
}

effects session::drain(const std::string& why, bool at_once, time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  draining_ = why;
  if (at_once)
    fail_calls("The call was cut off: " + why, now, out);
  end_when_drained(now, out);
  return out;
}

void session::end_when_drained(time_point now, effects& out) {
  if (draining_ && calls_.empty() && phase_ != phase::ended)
    end(*draining_, now, out);
}

void session::end(std::string why, time_point now, effects& out) {
  phase_ = phase::ended;
  way_->end(now, out);
  out.push_back(end_session{std::move(why)});
}

time_point session::deadline() const {
  if (phase_ == phase::ended)
    return time_point::max();
  auto first = std::min({calls_.deadline(), questions_.deadline(), way_->deadline()});
  if (phase_ == phase::fresh)
    first = std::min(first, begun_ + limits_.initialize);
  return busy() ? first : std::min(first, touched_ + limits_.idle);
}

} // namespace troupe::protocol
