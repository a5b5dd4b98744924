#include "protocol/modern_client/task_runs.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe::protocol {

namespace {

using request_purpose = face_requests::purpose;

constexpr auto shortest_poll_interval = 500.0, usual_poll_interval = 1000.0, longest_poll_interval = 30'000.0;

/// The member `pollInterval` is in milliseconds.
std::chrono::milliseconds pause_of(std::string_view task) {
  auto token = find_member(task, {"pollInterval"}).value_or("");
  auto is_number = !token.empty() && (token.front() == '-' || (token.front() >= '0' && token.front() <= '9'));
  auto wanted = is_number ? json_value(token).to_number<double>() : usual_poll_interval;
  return std::chrono::milliseconds{static_cast<int>(std::clamp(wanted, shortest_poll_interval, longest_poll_interval))};
}

std::string task_params(std::string_view task) { return R"({"taskId":)" + std::string{task} + "}"; }

} // namespace

std::optional<message> task_runs::take_created(exchange_id call, message answer, time_point now, face_requests& ours,
                                               stateless_effects& out) {
  auto& of = all_.at(call);
  auto task = find_member(answer.text, {"result", "task"}).value_or("");
  auto name = task.starts_with('{') ? find_member(task, {"taskId"}).value_or("") : "";
  if (!name.starts_with('"'))
    return take_result(call, std::move(answer));
  of.task = name;
  if (of.is_cancelled)
    cancel(call, ours, out);
  else
    follow(call, of, task, now, ours, out);
  return std::nullopt;
}

/// Once a task has stopped working, or waits for the client, its result is asked for: the answer comes when it is
/// there.
void task_runs::follow(exchange_id call, run& of, std::string_view task, time_point now, face_requests& ours,
                       stateless_effects& out) {
  if (string_member(task, {"status"}) != "working")
    return ours.ask({request_purpose::task_result, call}, "tasks/result", task_params(of.task), out);
  of.next = now + pause_of(task);
}

std::optional<message> task_runs::take_status(exchange_id call, message answer, time_point now, face_requests& ours,
                                              stateless_effects& out) {
  auto found = all_.find(call);
  if (found == all_.end())
    return std::nullopt;
  auto task = find_member(answer.text, {"result"}).value_or("");
  if (!task.starts_with('{'))
    return take_result(call, std::move(answer));
  follow(call, found->second, task, now, ours, out);
  return std::nullopt;
}

std::optional<message> task_runs::take_result(exchange_id call, message answer) {
  return all_.erase(call) > 0 ? std::optional{std::move(answer)} : std::nullopt;
}

void task_runs::cancel(exchange_id call, face_requests& ours, stateless_effects& out) {
  auto& of = all_.at(call);
  of.is_cancelled = true;
  if (of.task.empty())
    return;
  end(call, of, ours, out);
  all_.erase(call);
}

/// A task without a name is the request that was to begin it.
void task_runs::end(exchange_id call, const run& of, face_requests& ours, stateless_effects& out) {
  if (!of.task.empty())
    ours.ask({request_purpose::task_end, call}, "tasks/cancel", task_params(of.task), out);
  else if (!of.is_cancelled)
    out.push_back(ask_server{own_message(cancelled_text(std::to_string(call), "The task did not begin in time"))});
}

std::vector<exchange_id> task_runs::tick(time_point now, face_requests& ours, stateless_effects& out) {
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
