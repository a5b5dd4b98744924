#include "protocol/modern_client/tasks.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr char seal_mark = '.';

/// Prefix that no other sealed text has.
std::string task_text(std::string_view id) { return "task " + std::string{id}; }

std::string sealed_id(std::string id, const state_seal& seal) {
  auto end = seal(task_text(id)).front();
  return std::move(id) + seal_mark + end;
}

std::optional<std::string> read_sealed_id(std::string_view text, const state_seal& seal) {
  auto mark = text.rfind(seal_mark);
  if (mark == text.npos)
    return std::nullopt;
  auto id = text.substr(0, mark);
  return is_sealed(task_text(id), text.substr(mark + 1), seal) ? std::optional{std::string{id}} : std::nullopt;
}

/// Skips most results quickly: the name occurs in the text, unless written with escapes.
bool may_tell_of_task(std::string_view text) {
  return text.find("taskId") != text.npos || text.find("\\u") != text.npos;
}

/// Returns the `taskId` of a request: an empty token if there is none; nothing if there are several, as the server
/// might use another one.
std::optional<std::string_view> task_named(const message& request) {
  std::string_view result;
  for (object_reader each{find_member(request.text, {"params"}).value_or("")}; each.next();)
    if (each.key() == "taskId" && !std::exchange(result, each.value()).empty())
      return std::nullopt;
  return result;
}

using request_purpose = adapter_requests::purpose;

constexpr auto shortest_poll_interval = 500.0, usual_poll_interval = 1000.0, longest_poll_interval = 30'000.0;

/// Reads `pollInterval`, in milliseconds.
std::chrono::milliseconds pause_of(std::string_view task) {
  auto token = find_member(task, {"pollInterval"}).value_or("");
  auto is_number = !token.empty() && (token.front() == '-' || (token.front() >= '0' && token.front() <= '9'));
  auto wanted = is_number ? json_value(token).to_number<double>() : usual_poll_interval;
  return std::chrono::milliseconds{static_cast<int>(std::clamp(wanted, shortest_poll_interval, longest_poll_interval))};
}

std::string task_params(std::string_view task) { return R"({"taskId":)" + std::string{task} + "}"; }

} // namespace

bool may_be_of_tasks(std::string_view method) { return may_be_of(method, "tasks"); }

/// Seals the id in the result itself (the extension) or in its `task` (2025-11-25).
message with_sealed_task(message answer, std::string_view method, const state_seal& seal) {
  if (!may_tell_of_task(answer.text))
    return answer;
  auto result = find_member(answer.text, {"result"});
  if (!result || !result->starts_with('{') ||
      (!may_be_of_tasks(method) && string_member(*result, {"resultType"}) != "task"))
    return answer;
  std::vector<edit> edits;
  for (auto token : {find_member(*result, {"taskId"}), find_member(*result, {"task", "taskId"})})
    if (auto id = token ? string_value(*token) : std::nullopt)
      edits.push_back(replacing(answer.text, *token, quoted(sealed_id(std::move(*id), seal))));
  return spliced(std::move(answer), std::move(edits));
}

/// A request without a `taskId` passes: the server refuses it.
std::optional<message> with_unsealed_task(message request, const state_seal& seal) {
  auto token = task_named(request);
  if (token && token->empty())
    return request;
  auto text = token ? string_value(*token) : std::nullopt;
  auto id = text ? read_sealed_id(*text, seal) : std::nullopt;
  if (!id)
    return std::nullopt;
  auto by = replacing(request.text, *token, quoted(*id));
  return spliced(std::move(request), {std::move(by)});
}

std::optional<message> task_runs::receive_created(exchange_id call, message answer, time_point now,
                                                  adapter_requests& ours, stateless_effects& out) {
  auto& of = all_.at(call);
  auto task = find_member(answer.text, {"result", "task"}).value_or("");
  auto name = task.starts_with('{') ? find_member(task, {"taskId"}).value_or("") : "";
  if (!name.starts_with('"'))
    return receive_result(call, std::move(answer));
  of.task = name;
  if (of.is_cancelled)
    cancel(call, ours, out);
  else
    follow(call, of, task, now, ours, out);
  return std::nullopt;
}

/// Requests the result once the task stopped working or waits for the client; the server answers when the result is
/// ready.
void task_runs::follow(exchange_id call, run& of, std::string_view task, time_point now, adapter_requests& ours,
                       stateless_effects& out) {
  if (string_member(task, {"status"}) != "working")
    return ours.ask({request_purpose::task_result, call}, "tasks/result", task_params(of.task), out);
  of.next = now + pause_of(task);
}

std::optional<message> task_runs::receive_status(exchange_id call, message answer, time_point now,
                                                 adapter_requests& ours, stateless_effects& out) {
  auto found = all_.find(call);
  if (found == all_.end())
    return std::nullopt;
  auto task = find_member(answer.text, {"result"}).value_or("");
  if (!task.starts_with('{'))
    return receive_result(call, std::move(answer));
  follow(call, found->second, task, now, ours, out);
  return std::nullopt;
}

std::optional<message> task_runs::receive_result(exchange_id call, message answer) {
  return all_.erase(call) > 0 ? std::optional{std::move(answer)} : std::nullopt;
}

void task_runs::cancel(exchange_id call, adapter_requests& ours, stateless_effects& out) {
  auto& of = all_.at(call);
  of.is_cancelled = true;
  if (of.task.empty())
    return;
  end(call, of, ours, out);
  all_.erase(call);
}

/// Before the server has named the task, cancels the request that creates it.
void task_runs::end(exchange_id call, const run& of, adapter_requests& ours, stateless_effects& out) {
  if (!of.task.empty())
    ours.ask({request_purpose::task_end, call}, "tasks/cancel", task_params(of.task), out);
  else if (!of.is_cancelled)
    out.push_back(forward_to_server{cancellation_of(call, "The task did not begin in time")});
}

std::vector<exchange_id> task_runs::tick(time_point now, adapter_requests& ours, stateless_effects& out) {
  std::vector<exchange_id> late;
  std::erase_if(all_, [&](auto& one) {
    auto& [call, of] = one;
    if (of.until > now)
      return false;
    end(call, of, ours, out);
    if (!of.is_cancelled)
      late.push_back(call);
    return true;
  });
  for (auto& [call, of] : all_) {
    if (of.next > now)
      continue;
    of.next = time_point::max();
    ours.ask({request_purpose::task_status, call}, "tasks/get", task_params(of.task), out);
  }
  return late;
}

std::size_t task_runs::unnamed() const {
  return static_cast<std::size_t>(std::ranges::count_if(all_, [](auto& one) { return one.second.is_cancelled; }));
}

time_point task_runs::deadline() const {
  auto first = time_point::max();
  for (auto& [call, of] : all_)
    first = std::min({first, of.next, of.until});
  return first;
}

} // namespace troupe::protocol
