#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"
#include "net/io_thread.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace troupe::actors {

/// A unit on an I/O thread. Callbacks of sockets and pipes run on the same thread as the actors, so no message between
/// them switches threads. Outlives its actors.
class io_unit : public unit {
public:
  io_unit(caf::actor_system& system, std::size_t number, net::io_thread& thread,
          std::shared_ptr<live_count> live_actors, event_log log, std::shared_ptr<all_sessions> all = nullptr)
      : unit{&system, number, std::move(live_actors), std::move(log), std::move(all)}, thread_{thread} {}

  /// Actors that are not pinned, such as the host's, go to CAF's scheduler. A sender on another thread counts as alive
  /// until `post` returns: its message may end the last actor before that.
  void exec_later(caf::resumable* job) override {
    if (job->subtype() != caf::resumable::io_actor)
      return system().scheduler().enqueue(job);
    std::optional<counted_alive> caller;
    if (!thread_.is_current())
      caller.emplace(live_actors());
    thread_.post([this, job] { run(job); });
  }
  protocol::time_point now() const override { return thread_.now(); }
  bool is_current() const override { return thread_.is_current(); }
  reminder_id remind(caf::actor_addr who, protocol::time_point when) override {
    return thread_.at(when, [who = std::move(who)] { send_if_alive(who, tick{}); });
  }
  void forget(reminder_id which) override { thread_.cancel(which); }
  net::io_thread& thread() { return thread_; }

private:
  /// Maximum of messages that an actor handles in a row. One read of every pipe produces fewer, so no mailbox grows
  /// while pipes are read.
  static constexpr std::size_t throughput = 16'384;

  void run(caf::resumable* job) {
    // Even with logging disabled, CAF would look up and record the current actor for each message.
    if constexpr (CAF_LOG_LEVEL == CAF_LOG_LEVEL_QUIET)
      caf::logger::set_current_actor_system(nullptr);
    switch (job->resume(this, throughput)) {
    case caf::resumable::resume_later:
      exec_later(job);
      break;
    case caf::resumable::shutdown_execution_unit:
      break;
    default:
      caf::intrusive_ptr_release(job);
    }
  }

  net::io_thread& thread_;
};

} // namespace troupe::actors
