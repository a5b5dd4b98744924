#include "protocol/session/session.hpp"

#include "protocol/message/era.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::protocol {

namespace {

bool is_initialize(const message& one) { return one.kind == message_kind::request && one.method == "initialize"; }

bool is_request(const message& one) { return one.kind == message_kind::request; }

rejection refusal(std::string text, std::string id = {}) {
  return {400, error_code::invalid_request, "Bad Request: " + std::move(text), std::move(id)};
}

rejection too_many_calls(std::string id) {
  return {429,
          error_code::internal_error,
          "Too Many Requests: too many calls of this session are in flight",
          std::move(id),
          {{"Retry-After", "1"}}};
}

/// The ids of the requests that a POST brings.
std::vector<std::string> requests_of(const post_body& body) {
  std::vector<std::string> result;
  for (auto& one : body.messages)
    if (is_request(one))
      result.push_back(one.id);
  return result;
}

} // namespace

session::session(const session_limits& limits, std::unique_ptr<delivery> way, time_point now,
                 std::optional<session_record> keeps)
    : limits_{limits}, way_{std::move(way)}, begun_{now}, touched_{now}, held_{limits.held, limits.held_bytes},
      record_{std::move(keeps)}, waiting_{limits.waiting, limits.waiting_bytes} {}

// -- from the client ---------------------------------------------------------------

effects session::client_sent(exchange_id exchange, post_body body, time_point now) {
  effects out;
  if (phase_ == phase::restoring) {
    let_wait({exchange, waiting_post{std::move(body)}}, out);
    return out;
  }
  if (auto why = refuse(body)) {
    out.push_back(reject{exchange, std::move(*why)});
    return out;
  }
  touched_ = now;
  if (is_initialize(body.messages.front())) {
    begin(exchange, std::move(body.messages.front()), now, out);
    return out;
  }
  record_.refresh(record_age::spoken, now, out);
  way_->posted(exchange, body.batch, requests_of(body), now, out);
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
  auto begun = calls_.of_exchanges();
  for (auto& one : body.messages) {
    if (!is_request(one))
      continue;
    if (calls_.own_id_of(one.id) || std::find(ids.begin(), ids.end(), one.id) != ids.end())
      return refusal("a request with this id is already in flight", one.id);
    if (body.batch)
      ids.push_back(one.id);
    if (one.method == "ping")
      continue;
    if (phase_ == phase::starting || (phase_ == phase::fresh && !is_initialize(one)))
      return refusal("initialize has not been answered yet", one.id);
    if (draining_)
      return unavailable(*draining_, one.id);
    if (++begun > limits_.calls)
      return too_many_calls(one.id);
  }
  return std::nullopt;
}

/// The client's `initialize` asks for a revision.
message session::asking_for(message initialize, std::string_view version) {
  auto asked = find_member(initialize.text, {"params", "protocolVersion"});
  if (!asked)
    return initialize;
  auto at = static_cast<std::size_t>(asked->data() - initialize.text.data());
  return made(initialize.text.replace(at, asked->size(), quoted(version)));
}

/// A server is never asked for a revision that we do not know ourselves.
message session::asking_for_known(message initialize) {
  auto asked = find_member(initialize.text, {"params", "protocolVersion"});
  auto version = asked ? string_value(*asked) : std::nullopt;
  auto known = !version || is_session_version(*version);
  return known ? std::move(initialize) : asking_for(std::move(initialize), newest_session_version);
}

void session::begin(exchange_id exchange, message&& from, time_point now, effects& out) {
  phase_ = phase::starting;
  auto until = now + limits_.initialize;
  capabilities_ = read_capabilities(from.text);
  record_.begin(from);
  way_->posted_initialize(exchange, out);
  auto own = std::to_string(calls_.add({from.id, from.reference, exchange, until, until}));
  out.push_back(forward{relayed(asking_for_known(std::move(from)), own, own)});
}

void session::take_request(exchange_id exchange, message&& from, time_point now, effects& out) {
  if (from.method == "ping")
    return way_->answer(exchange, empty_result(from.id), now, out);
  call asked{from.id, from.reference, exchange, now + limits_.request, now + limits_.request_cap};
  auto number = calls_.add(std::move(asked));
  record_.asked(number, from);
  auto own = std::to_string(number);
  relabel(from, own, own);
  out.emplace_back(forward{std::move(from)});
}

void session::take_notification(message&& from, time_point now, effects& out) {
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
void session::cancel(message&& from, time_point now, effects& out) {
  auto own = calls_.own_id_of(from.reference);
  if (!own || phase_ == phase::starting)
    return;
  auto asked = *calls_.take(*own);
  record_.forsaken(*own);
  out.push_back(forward{relayed(std::move(from), {}, std::to_string(*own))});
  way_->withdraw(asked.exchange, asked.id, now, out);
  end_when_drained(now, out);
}

void session::take_client_progress(message&& from, time_point now, effects& out) {
  auto own = own_id(from.reference);
  auto question = own ? questions_.find(*own) : nullptr;
  if (!question || question->token.empty())
    return;
  question->deadline = std::min(now + limits_.question, question->cap);
  out.push_back(forward{relayed(std::move(from), {}, question->token)});
}

void session::take_response(message&& from, effects& out) {
  auto own = own_id(from.id);
  auto question = own ? questions_.take(*own) : std::nullopt;
  if (question)
    out.push_back(forward{relayed(std::move(from), question->id, {})});
}

void session::release_held(time_point now, effects& out) {
  initialized_ = true;
  record_.client_initialized(now, out);
  for (auto& one : held_.take())
    take_question(std::move(one), now, out);
}

effects session::client_listens(exchange_id exchange, std::string_view last, time_point now) {
  effects out;
  if (phase_ == phase::restoring) {
    let_wait({exchange, waiting_listen{std::string{last}}}, out);
    return out;
  }
  if (phase_ == phase::ended) {
    out.push_back(reject{exchange, session_not_found()});
    return out;
  }
  touched_ = now;
  record_.refresh(record_age::spoken, now, out);
  way_->listens(exchange, last, now, out);
  return out;
}

effects session::client_ends(exchange_id exchange, time_point now) {
  effects out;
  if (phase_ == phase::restoring) {
    let_wait({exchange, waiting_end{}}, out);
    return out;
  }
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
  waiting_.left(exchange);
  if (!way_->lost(exchange, now, out))
    end("its client left", now, out);
  return out;
}

effects session::send_away(const std::vector<exchange_id>& listeners, time_point now) {
  effects out;
  for (auto exchange : listeners) {
    out.push_back(end_stream{exchange});
    auto more = client_lost(exchange, now);
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return out;
}

} // namespace troupe::protocol
