#include "protocol/modern_client/server_as_modern.hpp"

#include "protocol/message/lists.hpp"
#include "protocol/message/methods.hpp"
#include "protocol/modern_client/legacy_messages.hpp"
#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/modern_client/request_state.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

using purpose = adapter_requests::purpose;

void refuse_call(const stateless_request& one, int code, std::string_view why, stateless_effects& out) {
  out.push_back(refused_request(one.exchange, one.what.id, code, why));
}

message failure_of(exchange_id own, std::string_view why, call_outcome how = failed_with(error_code::internal_error)) {
  auto result = gateway_message(error_text(std::to_string(own), error_code::internal_error, why));
  result.outcome = how;
  return result;
}

adapter_call new_call(const stateless_request& one) {
  auto& request = one.what;
  auto uri = request.is_method("resources/read") ? find_member(request.text, {"params", "uri"}) : std::nullopt;
  return {.own = one.exchange,
          .id = request.id,
          .token = request.reference,
          .level = one.envelope.log_level,
          .can = one.envelope.can,
          .requester = request.requester,
          .method = request.method,
          .uri = std::string{uri.value_or("")},
          .params = {},
          .exchange = one.exchange};
}

std::size_t bytes_of_face_call(const adapter_call& call) {
  return call.id.size() + call.token.size() + call.method.size() + call.uri.size() + call.params.size();
}

} // namespace

server_as_modern::server_as_modern(server_as_modern_rules rules) : rules_{std::move(rules)} {}

// -- from clients ----------------------------------------------------------------------

void server_as_modern::asked(exchange_id exchange, message request, const request_envelope& envelope, time_point now,
                             stateless_effects& out) {
  auto retries = request_state_of(request).has_value();
  stateless_request one{exchange, std::move(request), envelope, retries};
  if (find_removed_method(one.what.method))
    return refuse_call(one, error_code::method_not_found, "Method not found", out);
  if (listens_end_ && is_listen(one))
    return out.push_back(listeners::ended(exchange, one.what.id));
  ours_.ask_for(one.what);
  if (retries && !may_be_passed(one.what))
    return resume(std::move(one), now, out);
  if (waiting_.size() + calls_.size() + tasks_.unnamed() >= rules_.calls)
    return refuse_call(one, error_code::internal_error, "Too many requests are under way: try again later", out);
  forward(std::move(one), now, out);
  notes().send_level(out);
}

void server_as_modern::forward(stateless_request&& one, time_point now, stateless_effects& out) {
  if (must_wait(one.what, now, out))
    return wait(std::move(one), out);
  if (is_listen(one))
    listen(one, out);
  else if (start_.is_modern())
    pass(std::move(one), out);
  else
    translate(std::move(one), now, out);
}

void server_as_modern::listen(const stateless_request& one, stateless_effects& out) {
  if (!listeners_)
    listeners_ = std::make_unique<listeners>(rules_.listens, bytes_);
  listeners_->listen(one.exchange, one.what, start_.capabilities(), out);
}

void server_as_modern::translate(stateless_request&& one, time_point now, stateless_effects& out) {
  if (is_of_sessions(one.what.method))
    return refuse_call(one, error_code::method_not_found, "Method not found", out);
  if (one.is_retry)
    return resume(std::move(one), now, out);
  if (one.what.is_method("server/discover"))
    return out.push_back(start_.discovery(one.exchange, one.what));
  if (!refuse_fields(one, out))
    send(std::move(one), now, out);
}

void server_as_modern::pass(stateless_request&& one, stateless_effects& out) {
  if (rules_.seals_tasks && may_be_of_tasks(one.what.method)) {
    auto unsealed = with_unsealed_task(one.what, rules_.seal);
    if (!unsealed)
      return refuse_call(one, error_code::invalid_params, "Unknown task: it may have ended, or is another caller's",
                         out);
    one.what = std::move(*unsealed);
  }
  auto call = new_call(one);
  call.passes = true;
  if (refuse_fields(one, out) || !keep(one, std::move(call), out))
    return;
  auto own = std::to_string(one.exchange);
  replace_ids(one.what, own, own);
  out.push_back(forward_to_server{std::move(one.what)});
}

/// A state that we did not make is the server's own, unless `initialize` has shown that the server is session-era.
bool server_as_modern::may_be_passed(const message& retry) const {
  auto may_be_modern = start_.is_modern() || !start_.is_ready();
  return may_be_modern && !is_own_state(retry);
}

bool server_as_modern::must_wait(const message& request, time_point now, stateless_effects& out) {
  if (!start_.is_ready()) {
    start_.begin(rules_.can, rules_.version, ours_, out);
    return true;
  }
  if (!request.is_method("tools/call") || !start_.has_tools())
    return false;
  tools_.fetch(now, ours_, out);
  return tools_.holds_calls();
}

void server_as_modern::wait(stateless_request&& one, stateless_effects& out) {
  if (!waiting_.add(one))
    refuse_call(one, error_code::internal_error, "Too many bytes wait for the MCP server: try again later", out);
}

void server_as_modern::forward_waiting(time_point now, stateless_effects& out) {
  for (auto& one : waiting_.extract_all())
    forward(std::move(one), now, out);
}

bool server_as_modern::refuse_fields(const stateless_request& one, stateless_effects& out) {
  auto is_checked = rules_.checks_fields && one.what.is_method("tools/call");
  auto bad = is_checked ? tools_.refuse(one.what, one.envelope) : std::nullopt;
  if (bad)
    refuse_call(one, bad->code, bad->text, out);
  return bad.has_value();
}

void server_as_modern::send(stateless_request&& one, time_point now, stateless_effects& out) {
  auto& request = one.what;
  auto call = new_call(one);
  if (is_interactive(call.method) && !rules_.can.is_empty())
    call.params = params_of(request);
  if (!keep(one, std::move(call), out))
    return;
  notes().send_level(out);
  auto runs_task = request.is_method("tools/call") && tools_.needs_task(request);
  auto legacy = legacy_request(std::move(request), std::to_string(one.exchange));
  if (runs_task)
    tasks_.begin(one.exchange, now);
  out.push_back(forward_to_server{runs_task ? as_task(std::move(legacy)) : std::move(legacy)});
}

bool server_as_modern::keep(const stateless_request& one, adapter_call call, stateless_effects& out) {
  auto bytes = bytes_.try_acquire(bytes_of_face_call(call));
  if (!bytes) {
    refuse_call(one, error_code::internal_error, "Too many bytes are under way: try again later", out);
    return false;
  }
  call.bytes.emplace(std::move(*bytes));
  calls_.add(std::move(call));
  return true;
}

/// The header fields of a retry must match its body too, though the server does not receive it.
void server_as_modern::resume(stateless_request&& retry, time_point now, stateless_effects& out) {
  if (refuse_fields(retry, out))
    return;
  auto call = parked_.call_of(retry.what);
  if (!call)
    return refuse_call(retry, error_code::invalid_params, state_refused({}).text, out);
  if (auto needed = parked_.lacks(*call, retry.envelope.can))
    return out.push_back(lacks_capabilities(retry.exchange, retry.what.id, *needed,
                                            "The client does not declare what the call that it retries asks of it"));
  calls_.attach(*call, retry.exchange, retry.what, retry.envelope);
  notes().send_level(out);
  using next = protocol::parked_calls::next;
  switch (parked_.receive_responses(*call, retry.what, now, out)) {
  case next::asked_again:
  case next::waits_for_server:
    break;
  case next::has_answer:
    answers().finish(call->own, parked_.receive_response(*call), now, out);
    break;
  case next::urls_opened:
    calls_.remove(call->own);
    retry.is_retry = false;
    forward(std::move(retry), now, out);
    break;
  case next::urls_declined:
    answers().decline_urls(*call, out);
    break;
  }
  notes().send_level(out);
}

void server_as_modern::withdrawn(exchange_id exchange, time_point now, stateless_effects& out, std::string_view why) {
  if (waiting_.withdraw(exchange) || (listeners_ && listeners_->withdrawn(exchange, out)))
    return;
  auto call = calls_.find_by_exchange(exchange);
  if (!call)
    return;
  parked_.pass_on(*call, now, out);
  cancel_at_server(*call, why, out);
  calls_.remove(call->own);
  notes().send_level(out);
}

void server_as_modern::cancel_at_server(const adapter_call& call, std::string_view why, stateless_effects& out) {
  if (!call.is_at_server)
    return;
  if (tasks_.has(call.own))
    return tasks_.cancel(call.own, ours_, out);
  auto cancelled = cancellation_of(call.own, why);
  cancelled.requester = call.requester;
  out.push_back(forward_to_server{std::move(cancelled)});
}

// -- from the server -------------------------------------------------------------------

void server_as_modern::server_sent(message from, time_point now, stateless_effects& out, const calls_meant& about) {
  if (from.kind == message_kind::response)
    receive_response(std::move(from), now, out);
  else if (is_request(from))
    receive_request(from, about, now, out);
  else
    receive_notification(std::move(from), out);
  notes().send_level(out);
}

void server_as_modern::receive_response(message answer, time_point now, stateless_effects& out) {
  if (auto asked = ours_.extract(answer))
    return receive_own_response(*asked, std::move(answer), now, out);
  if (listeners_ && listeners_->takes_answer(answer, out))
    return;
  auto own = own_id(answer.id);
  if (own && tasks_.has(*own))
    return finish_if(*own, tasks_.receive_created(*own, std::move(answer), now, ours_, out), now, out);
  auto call = own ? calls_.find(*own) : nullptr;
  if (!call || !call->is_at_server)
    return;
  if (call->passes && rules_.seals_tasks)
    answer = with_sealed_task(std::move(answer), call->method, rules_.seal);
  answers().finish(*own, std::move(answer), now, out);
}

void server_as_modern::receive_own_response(adapter_requests::asked what, message answer, time_point now,
                                            stateless_effects& out) {
  switch (what.is) {
  case purpose::initialize:
    answer.claims_modern = answer.claims_modern && rules_.passes;
    return receive_initialize_response(answer, now, out);
  case purpose::tools_page:
    tools_.receive_page(answer, now, ours_, out);
    if (!tools_.holds_calls())
      forward_waiting(now, out);
    return;
  case purpose::task_status:
    return finish_if(what.call, tasks_.receive_status(what.call, std::move(answer), now, ours_, out), now, out);
  case purpose::task_result:
    return finish_if(what.call, tasks_.receive_result(what.call, std::move(answer)), now, out);
  case purpose::log_level:
  case purpose::task_end:
    return;
  }
}

void server_as_modern::receive_initialize_response(const message& answer, time_point now, stateless_effects& out) {
  if (auto why = start_.receive_response(answer, out))
    waiting_.fail_all(*why, out, call_outcome::kind::success, answer.is_shortage);
  else
    forward_waiting(now, out);
}

void server_as_modern::receive_request(const message& question, const calls_meant& about, time_point now,
                                       stateless_effects& out) {
  if (question.is_method("ping"))
    out.push_back(forward_to_server{gateway_message(empty_result(question.id))});
  else if (is_question(question.method))
    ask(question, about, now, out);
  else
    reject_server_request(question.id, error_code::method_not_found, "Method not found", out);
}

/// A request fails if it needs a capability that its client did not declare (2026-07-28, basic, "Client Capabilities").
void server_as_modern::ask(const message& question, const calls_meant& about, time_point now, stateless_effects& out) {
  if (auto fault = fault_in_question(question); !fault.empty())
    return reject_server_request(question.id, error_code::invalid_params, "Invalid params: " + fault, out);
  auto unable = parked_.server_asked(question, about, now, out);
  auto call = unable ? calls_.find(unable->call) : nullptr;
  if (!call)
    return;
  out.push_back(lacks_capabilities(*call->exchange, call->id, unable->needs,
                                   "The MCP server needs a client that can be asked: " + question.method));
  parked_.pass_on(*call, now, out);
  cancel_at_server(*call, "The client cannot be asked this", out);
  calls_.remove(call->own);
}

void server_as_modern::receive_notification(message note, stateless_effects& out) {
  if (is_progress(note))
    return notes().pass_progress(std::move(note), out);
  if (note.is_method("notifications/message"))
    return notes().pass_log(note, out);
  if (is_cancellation(note))
    return parked_.server_withdrew(note);
  if (group_changed_by(note.method) == list_group::tools)
    tools_.changed();
  if (listeners_)
    listeners_->receive_from_server(note, out);
}

void server_as_modern::finish_if(exchange_id own, std::optional<message> answer, time_point now,
                                 stateless_effects& out) {
  if (answer)
    answers().finish(own, std::move(*answer), now, out);
}

// -- ends ------------------------------------------------------------------------------

void server_as_modern::server_lost(const std::string& why, time_point now, stateless_effects& out) {
  forget_server();
  parked_.server_lost();
  calls_.each([&](adapter_call& call) {
    if (call.is_at_server)
      answers().finish(call.own, failure_of(call.own, why, {call_outcome::kind::lost}), now, out);
  });
  waiting_.fail_all(why, out, call_outcome::kind::lost);
  if (listeners_)
    listeners_->server_lost(why, out);
}

void server_as_modern::forget_server() {
  ours_.clear();
  start_.server_lost();
  tools_.server_lost();
  tasks_.server_lost();
  calls_.forget_level();
}

void server_as_modern::end(std::string_view why, stateless_effects& out) {
  parked_.end(out);
  calls_.each([&](adapter_call& call) {
    cancel_at_server(call, why, out);
    if (call.exchange)
      out.push_back(refused_request(*call.exchange, call.id, error_code::internal_error, why));
    calls_.remove(call.own);
  });
  waiting_.fail_all(why, out);
  if (listeners_)
    listeners_->end(out);
  forget_server();
}

void server_as_modern::end_listens(stateless_effects& out) {
  listens_end_ = true;
  for (auto& one : waiting_.extract_listens())
    out.push_back(listeners::ended(one.exchange, one.what.id));
  if (listeners_)
    listeners_->end(out);
}

void server_as_modern::tick(time_point now, stateless_effects& out) {
  for (auto own : parked_.tick(now, out)) {
    cancel_at_server(*calls_.find(own), "The client did not come back with its answers in time", out);
    calls_.remove(own);
  }
  for (auto own : tasks_.tick(now, ours_, out))
    answers().finish(own, failure_of(own, "The tool's task did not end in time"), now, out);
  notes().send_level(out);
}

time_point server_as_modern::deadline() const { return std::min(parked_.deadline(), tasks_.deadline()); }

std::string_view server_as_modern::asked_as(std::string_view own) {
  const auto number = own_id(own);
  const auto* call = number ? calls_.find(*number) : nullptr;
  return call ? std::string_view{call->id} : std::string_view{};
}

bool server_as_modern::is_idle() const { return waiting_.size() + calls_.size() + listens() == 0; }

std::size_t server_as_modern::calls_in_flight() const { return waiting_.size() + calls_.attached(); }

std::size_t server_as_modern::listens() const { return listeners_ ? listeners_->size() : 0; }

} // namespace troupe::protocol
