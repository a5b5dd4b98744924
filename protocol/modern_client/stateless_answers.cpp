#include "protocol/modern_client/stateless_answers.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

/// The status of an error that is not in a stream (2026-07-28, transports, "Error Responses"); others are a result of
/// HTTP as any answer is.
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

void stateless_answers::cut(exchange_id exchange, effects& out) {
  auto found = waiting_.find(exchange);
  if (found == waiting_.end() || !found->second.is_stream)
    return;
  out.push_back(end_stream{exchange});
  waiting_.erase(found);
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

} // namespace troupe::protocol
