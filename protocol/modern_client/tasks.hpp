#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/face_requests.hpp"
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

// Ids of the tasks that a server of 2026-07-28 runs (extension `io.modelcontextprotocol/tasks`). The server may take
// all of its callers for one, so the ids that clients get are sealed: each is of use to its caller alone.

/// Whether a server may take a method for one of tasks, however it is written.
bool may_be_of_tasks(std::string_view method);

/// The server's answer to a request of that method, with the ids in it sealed.
message with_sealed_task(message answer, std::string_view method, const state_seal& seal);

/// A request about a task with the id that the server knows; nothing when it is none that its caller was given.
std::optional<message> with_unsealed_task(message request, const state_seal& seal);

/// Calls of tools that only work as tasks (2025-11-25, tasks): clients of 2026-07-28 know no such tasks, and get the
/// result that the task has at last. Each of these gives the answer to the call once there is one.
class task_runs {
public:
  /// `longest` is how long a task may run.
  explicit task_runs(std::chrono::milliseconds longest) : longest_{longest} {}

  /// The call was sent as a task.
  void begin(exchange_id call, time_point now) { all_[call].until = now + longest_; }
  bool has(exchange_id call) const { return all_.contains(call); }
  /// The answer to the call itself, which names the task.
  std::optional<message> take_created(exchange_id call, message answer, time_point now, face_requests& ours,
                                      stateless_effects& out);
  std::optional<message> take_status(exchange_id call, message answer, time_point now, face_requests& ours,
                                     stateless_effects& out);
  std::optional<message> take_result(exchange_id call, message answer);
  /// Ends the task, once the server has named it.
  void cancel(exchange_id call, face_requests& ours, stateless_effects& out);
  void server_lost() { all_.clear(); }

  /// Asks how the tasks do, at the pace that the server wants. Ends those that run for too long, and gives their calls,
  /// except those that were cancelled.
  std::vector<exchange_id> tick(time_point now, face_requests& ours, stateless_effects& out);
  time_point deadline() const;
  /// Those that were cancelled before the server has named them.
  std::size_t unnamed() const;

private:
  struct run {
    /// A JSON token; empty until the server has named the task.
    std::string task;
    /// When the server is asked next; never while it is being asked.
    time_point next = time_point::max();
    time_point until = time_point::max();
    bool is_cancelled = false;
  };

  void follow(exchange_id call, run& of, std::string_view task, time_point now, face_requests& ours,
              stateless_effects& out);

  /// The client waits for it no more, or no longer has to.
  static void end(exchange_id call, const run& of, face_requests& ours, stateless_effects& out);

  std::chrono::milliseconds longest_;
  std::map<exchange_id, run> all_;
};

} // namespace troupe::protocol
