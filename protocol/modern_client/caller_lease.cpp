#include "protocol/modern_client/caller_lease.hpp"

#include "protocol/text/json.hpp"

#include <utility>
#include <variant>

namespace troupe::protocol {

namespace {

/// HTTP status for a JSON-RPC error outside a stream (2026-07-28, transports, "Error Responses"). Other errors get 200,
/// like results.
int status_of(int error) {
  switch (error) {
  case error_code::method_not_found:
    return 404;
  case error_code::header_mismatch:
  case error_code::missing_capability:
  case error_code::unsupported_stateless_version:
    return 400;
  default:
    return 200;
  }
}

event message_event(std::string text) { return {.type = "message", .data = std::move(text)}; }

call_outcome how_it_ended(const send_response& answer) {
  const auto is_plain_error = answer.how == call_outcome::kind::success && answer.error != 0;
  return is_plain_error ? failed_with(answer.error) : call_outcome{answer.how};
}

/// Refusal for a shortage of descriptors, memory or processes in the gateway: the client may try again soon.
rejection for_now(const send_response& answer) {
  return shortage(string_member(answer.text, {"error", "message"}),
                  std::string{find_member(answer.text, {"id"}).value_or("")});
}

} // namespace

void stateless_answers::asked(exchange_id exchange, time_point now) {
  waiting_.try_emplace(exchange, waiting_answer{now + patience_});
  first_.add(now + patience_);
}

void stateless_answers::precede(exchange_id exchange, std::string text, effects& out) {
  auto found = waiting_.find(exchange);
  if (found == waiting_.end())
    return;
  begin_stream(*found, out);
  out.push_back(publish{exchange, message_event(std::move(text))});
}

void stateless_answers::answer(exchange_id exchange, std::string text, int error, effects& out) {
  auto found = waiting_.find(exchange);
  if (found == waiting_.end())
    return;
  if (found->second.is_stream) {
    out.push_back(publish{exchange, message_event(std::move(text))});
    out.push_back(end_stream{exchange});
  } else if (auto status = status_of(error); status != 200) {
    out.push_back(reject{exchange, {.status = status, .code = error, .text = {}, .body = std::move(text)}});
  } else {
    out.push_back(reply{exchange, std::move(text)});
  }
  waiting_.erase(found);
  first_.changed();
}

void stateless_answers::refuse(exchange_id exchange, rejection why, effects& out) {
  auto found = waiting_.find(exchange);
  if (found == waiting_.end())
    return;
  if (found->second.is_stream)
    return answer(exchange, error_text(why.id, why.code, why.text), why.code, out);
  waiting_.erase(found);
  first_.changed();
  out.push_back(reject{exchange, std::move(why)});
}

bool stateless_answers::cut(exchange_id exchange, effects& out) {
  auto found = waiting_.find(exchange);
  if (found == waiting_.end() || !found->second.is_stream)
    return false;
  out.push_back(end_stream{exchange});
  waiting_.erase(found);
  return true;
}

bool stateless_answers::withdrawn(exchange_id exchange) {
  first_.changed();
  return waiting_.erase(exchange) != 0;
}

void stateless_answers::tick(time_point now, effects& out) {
  if (!first_.may_be_late(now))
    return;
  for (auto& one : waiting_)
    if (now >= one.second.patience_ends)
      begin_stream(one, out);
  first_.look(waiting_, deadline_of);
}

std::vector<exchange_id> stateless_answers::all() const {
  std::vector<exchange_id> result;
  for (auto& [exchange, one] : waiting_)
    result.push_back(exchange);
  return result;
}

void stateless_answers::begin_stream(waiting_answers::value_type& one, effects& out) {
  if (std::exchange(one.second.is_stream, true))
    return;
  one.second.patience_ends = time_point::max();
  out.push_back(open_stream{one.first});
}

caller_lease::caller_lease(const lease_rules& rules, server_as_modern_rules adapter, time_point now,
                           request_observer observer)
    : rules_{rules}, observer_{std::move(observer)}, adapter_{std::move(adapter)}, answers_{rules.patience},
      touched_{now}, attended_{now} {}

effects caller_lease::client_sent(exchange_id exchange, message request, const request_envelope& envelope,
                                  time_point now) {
  effects out;
  answers_.asked(exchange, now);
  if (auto why = refuse(request)) {
    answers_.refuse(exchange, std::move(*why), out);
    return out;
  }
  is_used_ = true;
  touched_ = now;
  stateless_effects adapted;
  adapter_.asked(exchange, std::move(request), envelope, now, adapted);
  return carry_out(std::move(adapted), now);
}

/// While the lease drains, only retries of parked calls are accepted.
std::optional<rejection> caller_lease::refuse(const message& request) const {
  if (over_)
    return gateway_stops(request.id);
  if (closing_ && !adapter_.is_own_state(request))
    return unavailable(*closing_, request.id);
  return std::nullopt;
}

effects caller_lease::client_lost(exchange_id exchange, time_point now) {
  if (over_)
    return {};
  stateless_effects adapted;
  if (answers_.withdrawn(exchange)) {
    finished(exchange, {call_outcome::kind::cancelled});
    touched_ = attended_ = now;
    adapter_.withdrawn(exchange, now, adapted);
  }
  return carry_out(std::move(adapted), now);
}

effects caller_lease::close_streams(const std::vector<exchange_id>& streams, time_point now) {
  effects out;
  stateless_effects adapted;
  for (auto exchange : streams)
    if (adapter_.is_listening(exchange)) {
      if (answers_.cut(exchange, out))
        finished(exchange, {call_outcome::kind::cancelled});
      else
        answers_.refuse(exchange, unavailable("the credentials have expired: come again with others"), out);
      adapter_.withdrawn(exchange, now, adapted);
    }
  return carry_out(std::move(adapted), now, std::move(out));
}

effects caller_lease::server_sent(message from, time_point now, const std::optional<std::vector<std::string>>& about) {
  if (over_)
    return {};
  stateless_effects adapted;
  adapter_.server_sent(std::move(from), now, adapted, about);
  return carry_out(std::move(adapted), now);
}

effects caller_lease::server_lost(const std::string& why, time_point now) {
  if (over_)
    return {};
  stateless_effects adapted;
  adapter_.server_lost(why, now, adapted);
  return carry_out(std::move(adapted), now);
}

effects caller_lease::tick(time_point now) {
  effects out;
  if (over_)
    return out;
  answers_.tick(now, out);
  stateless_effects adapted;
  adapter_.tick(now, adapted);
  return carry_out(std::move(adapted), now, std::move(out));
}

effects caller_lease::end_call(exchange_id exchange, std::string_view id, const std::string& why, time_point now) {
  if (over_ || !answers_.is_awaited(exchange))
    return {};
  stateless_effects adapted;
  adapter_.withdrawn(exchange, now, adapted, "ended by an operator");
  adapted.push_back(
      send_response{exchange, error_text(id, error_code::internal_error, why), error_code::internal_error});
  return carry_out(std::move(adapted), now);
}

effects caller_lease::close(const session_closing& how, time_point now) {
  effects out;
  if (over_)
    return out;
  closing_ = how.why;
  stateless_effects adapted;
  adapter_.end_listens(adapted);
  out = carry_out(std::move(adapted), now);
  if (how.at_once && !over_)
    end(how.why, out);
  return out;
}

effects caller_lease::carry_out(stateless_effects adapted, time_point now, effects out) {
  if (!answers_.empty())
    touched_ = attended_ = now;
  translate(std::move(adapted), out);
  end_if_over(now, out);
  return out;
}

void caller_lease::translate(stateless_effects adapted, effects& out) {
  for (auto& one : adapted) {
    if (auto* notification = std::get_if<send_notification>(&one))
      answers_.precede(notification->exchange, std::move(notification->text), out);
    else if (auto* answer = std::get_if<send_response>(&one))
      give(std::move(*answer), out);
    else
      out.push_back(forward{std::move(std::get<forward_to_server>(one).what)});
  }
}

void caller_lease::give(send_response answer, effects& out) {
  finished(answer.exchange, how_it_ended(answer));
  if (answer.is_shortage)
    return answers_.refuse(answer.exchange, for_now(answer), out);
  answers_.answer(answer.exchange, std::move(answer.text), answer.error, out);
}

void caller_lease::end_if_over(time_point now, effects& out) {
  if (over_)
    return;
  if (!is_idle()) {
    touched_ = now;
    return;
  }
  if (closing_)
    end(*closing_, out);
  else if (now >= touched_ + patience())
    end("nobody has used it for a while", out);
}

/// The adapter answers its requests in flight; all other waiting exchanges are refused here.
void caller_lease::end(const std::string& why, effects& out) {
  over_ = true;
  stateless_effects adapted;
  adapter_.end(why, adapted);
  translate(std::move(adapted), out);
  for (auto exchange : answers_.all())
    answers_.refuse(exchange, unavailable(why), out);
  out.push_back(end_session{why});
}

time_point caller_lease::deadline() const {
  if (over_)
    return time_point::max();
  auto ends = is_idle() ? touched_ + patience() : time_point::max();
  return std::min({adapter_.deadline(), answers_.deadline(), ends});
}

} // namespace troupe::protocol
