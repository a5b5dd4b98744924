#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/adapter_requests.hpp"
#include "protocol/modern_client/request_state.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Task ids of stateless (2026-07-28) servers (extension `io.modelcontextprotocol/tasks`). A server may not distinguish
// its callers, so clients get sealed ids, each valid only for its caller.

/// True if a server may read a method as one of tasks, in any spelling.
bool may_be_of_tasks(std::string_view method);

/// Returns the server's answer to a request of that method, with its task ids sealed.
message with_sealed_task(message answer, std::string_view method, const state_seal& seal);

/// Returns the request with the server's own task id; empty if its caller was not given that id.
std::optional<message> with_unsealed_task(message request, const state_seal& seal);

/// Calls of tools that only work as tasks (2025-11-25, tasks). Clients of 2026-07-28 do not know such tasks and get the
/// task's final result. The `receive_` functions return the answer to the call once it is known.
class task_runs {
public:
  /// `longest`: the longest time that a task may run.
  explicit task_runs(std::chrono::milliseconds longest) : longest_{longest} {}

  /// Notes that the call was sent as a task.
  void begin(exchange_id call, time_point now) { all_[call].until = now + longest_; }
  bool has(exchange_id call) const { return all_.contains(call); }
  /// Takes the answer to the call itself, which names the task.
  std::optional<message> receive_created(exchange_id call, message answer, time_point now, adapter_requests& ours,
                                         stateless_effects& out);
  std::optional<message> receive_status(exchange_id call, message answer, time_point now, adapter_requests& ours,
                                        stateless_effects& out);
  std::optional<message> receive_result(exchange_id call, message answer);
  /// Cancels the task, once the server has named it.
  void cancel(exchange_id call, adapter_requests& ours, stateless_effects& out);
  void server_lost() { all_.clear(); }

  /// Polls the tasks, at the server's pace. Ends those that run too long and returns their calls, except cancelled
  /// ones.
  std::vector<exchange_id> tick(time_point now, adapter_requests& ours, stateless_effects& out);
  time_point deadline() const;
  /// Number of tasks that were cancelled before the server named them.
  std::size_t unnamed() const;

private:
  struct run {
    /// Task id, a JSON token; empty until the server has named the task.
    std::string task;
    /// Time of the next poll; max() while a request is in flight.
    time_point next = time_point::max();
    time_point until = time_point::max();
    bool is_cancelled = false;
  };

  void follow(exchange_id call, run& of, std::string_view task, time_point now, adapter_requests& ours,
              stateless_effects& out);

  /// Cancels a task at the server.
  static void end(exchange_id call, const run& of, adapter_requests& ours, stateless_effects& out);

  std::chrono::milliseconds longest_;
  std::map<exchange_id, run> all_;
};

} // namespace troupe::protocol
