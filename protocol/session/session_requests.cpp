#include "protocol/session/session_requests.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

/// Asker of the gateway's own requests. Client ids are JSON, so none is equal to it.
constexpr std::string_view gateway_itself = "gateway";

rejection id_is_taken(std::string id) {
  return {400, error_code::invalid_request, "Bad Request: a request with this id is already in flight", std::move(id)};
}

rejection too_early(std::string id) {
  return {400, error_code::invalid_request, "Bad Request: initialize has not been answered yet", std::move(id)};
}

rejection too_many_calls(std::string id) {
  return {429,
          error_code::internal_error,
          "Too Many Requests: too many calls of this session are in flight",
          std::move(id),
          {{"Retry-After", "1"}}};
}

std::string late_text(std::chrono::milliseconds limit) {
  return "The MCP server did not answer within " + seconds_text(limit);
}

/// Answers a server's request with an error in the client's place; `id` is the server's.
void refuse_server_request(std::string_view id, int code, std::string_view why, session_turn& turn) {
  turn.to_server(gateway_message(error_text(id, code, why)));
}

} // namespace

std::uint64_t calls::add(call one) {
  of_exchanges_ += one.exchange != 0 ? 1 : 0;
  return all_.add(std::move(one));
}

void calls::go_with(std::uint64_t own, exchange_id exchange) {
  auto one = all_.find(own);
  assert(one);
  of_exchanges_ -= one->exchange != 0 ? 1 : 0;
  of_exchanges_ += exchange != 0 ? 1 : 0;
  one->exchange = exchange;
}

std::optional<call> calls::take(std::uint64_t own) {
  auto result = all_.take(own);
  of_exchanges_ -= result && result->exchange != 0 ? 1 : 0;
  return result;
}

std::vector<std::pair<std::uint64_t, call>> calls::take_late(time_point now) {
  auto result = all_.take_late(now);
  for (auto& [own, one] : result)
    of_exchanges_ -= one.exchange != 0 ? 1 : 0;
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return result;
}

std::optional<rejection> client_requests::refuse(const post_body& body, const agreement& agreed,
                                                 const std::optional<std::string>& closing, std::size_t most) const {
  std::vector<std::string_view> ids;
  auto begun = calls_.of_exchanges();
  for (auto& one : body.messages) {
    if (!is_request(one))
      continue;
    if (calls_.own_id_of(one.id) || std::ranges::any_of(ids, [&](auto id) { return same_id(id, one.id); }))
      return id_is_taken(one.id);
    if (body.batch)
      ids.push_back(one.id);
    if (one.is_method("ping"))
      continue;
    if (agreed.is_too_early(one))
      return too_early(one.id);
    if (closing)
      return unavailable(*closing, one.id);
    if (++begun > most)
      return too_many_calls(one.id);
  }
  return std::nullopt;
}

// -- new requests --------------------------------------------------------------------------

std::uint64_t client_requests::add(call one, message& request) {
  auto number = calls_.add(std::move(one));
  auto own = std::to_string(number);
  replace_ids(request, own, own);
  return number;
}

std::uint64_t client_requests::add(exchange_id exchange, message& request, const session_turn& turn) {
  auto& limits = turn.limits;
  return add({request.id, request.reference, exchange, turn.now + limits.request, turn.now + limits.request_cap},
             request);
}

void client_requests::initialize(exchange_id exchange, message hello, session_turn& turn) {
  auto until = turn.now + turn.limits.initialize;
  add({hello.id, hello.reference, exchange, until, until}, hello);
  turn.to_server(std::move(hello));
}

void client_requests::initialize_again(message hello, session_turn& turn) {
  ask(std::move(hello), turn.limits.initialize, turn);
}

void client_requests::ask(std::string_view method, std::string_view name, std::string_view value, session_turn& turn) {
  ask(gateway_message(R"({"jsonrpc":"2.0","id":0,"method":")" + std::string{method} + R"(","params":{")" +
                      std::string{name} + "\":" + quoted(value) + "}}"),
      turn.limits.request, turn);
}

/// Belongs to no exchange, so the answer is dropped.
void client_requests::ask(message request, std::chrono::milliseconds limit, session_turn& turn) {
  auto until = turn.now + limit;
  add({std::string{gateway_itself}, {}, 0, until, until}, request);
  turn.to_server(std::move(request));
}

// -- requests in flight --------------------------------------------------------------------

void client_requests::progressed(message&& from, session_turn& turn) {
  auto asked = calls_.progressed(from.reference, turn.now + turn.limits.request);
  if (!asked)
    return;
  replace_ids(from, {}, asked->token);
  turn.way.progress(asked->exchange, std::move(from.text), turn.now, turn.out);
}

std::optional<std::uint64_t> client_requests::cancel(message&& from, session_turn& turn) {
  auto own = calls_.own_id_of(from.reference);
  if (!own)
    return std::nullopt;
  auto asked = *calls_.take(*own);
  turn.to_server(relayed(std::move(from), {}, std::to_string(*own)));
  turn.finished(asked.exchange, asked.id, {call_outcome::kind::cancelled});
  turn.way.withdraw(asked.exchange, asked.id, turn.now, turn.out);
  return own;
}

void client_requests::fail(const call& asked, const std::string& why, session_turn& turn, call_outcome how) {
  turn.finished(asked.exchange, asked.id, how);
  turn.answer(asked.exchange, error_text(asked.id, error_code::internal_error, why));
}

/// The cause that prevents a start may pass soon.
void client_requests::refuse_for_now(const call& asked, std::string why, session_turn& turn) {
  turn.finished(asked.exchange, asked.id, failed_with(error_code::internal_error));
  turn.way.refused(asked.exchange, shortage(std::move(why), asked.id), turn.now, turn.out);
}

void client_requests::refuse_all(const std::string& why, session_turn& turn) {
  for (auto& [own, asked] : calls_.take_late(time_point::max()))
    if (asked.exchange != 0)
      refuse_for_now(asked, why, turn);
}

void client_requests::fail_all(const std::string& why, call_outcome how, session_turn& turn) {
  for (auto& [own, asked] : calls_.take_late(time_point::max()))
    fail(asked, why, turn, how);
}

bool client_requests::fail_late(record_schedule& record, session_turn& turn) {
  auto late = calls_.take_late(turn.now);
  for (auto& [own, asked] : late) {
    auto limit = turn.now >= asked.cap ? turn.limits.request_cap : turn.limits.request;
    fail(asked, late_text(limit), turn);
    give_up(own, "timeout", record, turn);
  }
  return !late.empty();
}

bool client_requests::end(std::string_view id, const std::string& why, record_schedule& record, session_turn& turn) {
  auto own = calls_.own_id_of(id);
  if (!own)
    return false;
  fail(*calls_.take(*own), why, turn);
  give_up(*own, "ended by an operator", record, turn);
  return true;
}

std::string_view client_requests::asked_as(std::string_view own) const {
  const auto number = own_id(own);
  const auto* asked = number ? calls_.find(*number) : nullptr;
  return asked && asked->exchange != 0 ? std::string_view{asked->id} : std::string_view{};
}

/// Cancels a request at the server, so that it does not work in vain.
void client_requests::give_up(std::uint64_t own, std::string_view reason, record_schedule& record, session_turn& turn) {
  record.request_dropped(own);
  turn.to_server(cancellation_of(own, reason));
}

std::optional<std::string> client_requests::fail_late_initialize(session_turn& turn) {
  auto late = calls_.take_late(turn.now);
  if (late.empty())
    return std::nullopt;
  auto why = late_text(turn.limits.initialize);
  for (auto& [own, asked] : late)
    fail(asked, why, turn);
  return why;
}

// -- held messages -------------------------------------------------------------------------

void server_requests::hold(message&& from, session_turn& turn) {
  auto id = from.id;
  if (!held_.push(std::move(from)))
    refuse_server_request(id, error_code::internal_error, "Too much waits for the client to initialize", turn);
}

void server_requests::release_notifications(session_turn& turn) {
  for (auto& one : held_.take()) {
    if (is_request(one))
      hold(std::move(one), turn);
    else
      turn.way.unrelated(std::move(one), turn.now, turn.out);
  }
}

void server_requests::release_all(const agreement& agreed, session_turn& turn) {
  for (auto& one : held_.take())
    take(std::move(one), agreed, turn);
}

// -- new requests --------------------------------------------------------------------------

void server_requests::take(message&& from, const agreement& agreed, session_turn& turn) {
  if (!agreed.allows(from.method))
    return refuse_server_request(from.id, error_code::method_not_found,
                                 "The client did not declare the capability for this", turn);
  if (agreed.must_wait(from))
    return hold(std::move(from), turn);
  if (questions_.size() == turn.limits.questions)
    return refuse_server_request(from.id, error_code::internal_error, "Too many requests wait for the client", turn);
  put(std::move(from), turn);
}

void server_requests::put(message&& from, session_turn& turn) {
  auto own =
      questions_.add({from.id, from.reference, 0, turn.now + turn.limits.question, turn.now + turn.limits.request_cap});
  auto id = std::to_string(own);
  auto with = turn.way.related(relayed(from, id, id), turn.now, turn.out);
  if (with)
    return questions_.go_with(own, *with);
  questions_.take(own);
  refuse_server_request(from.id, error_code::internal_error,
                        "The client has no stream open, and too much waits for one", turn);
}

// -- requests in flight --------------------------------------------------------------------

void server_requests::withdraw(message&& from, session_turn& turn) {
  auto own = questions_.own_id_of(from.reference);
  if (!own)
    return held_.withdraw(from.reference);
  auto asked = *questions_.take(*own);
  turn.way.follow(asked.exchange, relayed(std::move(from), {}, std::to_string(*own)), turn.now, turn.out);
}

void server_requests::progressed(message&& from, session_turn& turn) {
  if (auto asked = questions_.progressed(from.reference, turn.now + turn.limits.question))
    turn.to_server(relayed(std::move(from), {}, asked->token));
}

void server_requests::answered(message&& from, session_turn& turn) {
  auto own = own_id(from.id);
  auto asked = own ? questions_.take(*own) : std::nullopt;
  if (asked)
    turn.to_server(relayed(std::move(from), asked->id, {}));
}

void server_requests::fail_late(session_turn& turn) {
  for (auto& [own, asked] : questions_.take_late(turn.now)) {
    refuse_server_request(asked.id, error_code::internal_error, "The client did not answer in time", turn);
    auto cancelled = cancellation_of(own, "timeout");
    turn.way.follow(asked.exchange, std::move(cancelled), turn.now, turn.out);
  }
}

} // namespace troupe::protocol
