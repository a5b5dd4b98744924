#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"
#include "net/io_thread.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace troupe::actors {

/// The unit whose thread waits for sockets and pipes: what they wake and what actors do runs on one thread, without a
/// switch between them. Outlives its actors.
class io_unit : public unit {
public:
  io_unit(caf::actor_system& system, std::size_t number, net::io_thread& thread, std::shared_ptr<population> everybody,
          event_log log)
      : unit{&system, number, std::move(everybody), std::move(log)}, thread_{thread} {}

  /// Actors of the host that ours speak to live elsewhere. Whoever posts from another thread counts: its message may
  /// end the last actor before `post` returns.
  void exec_later(caf::resumable* job) override {
    if (job->subtype() != caf::resumable::io_actor)
      return system().scheduler().enqueue(job);
    std::optional<resident> visitor;
    if (!thread_.is_current())
      visitor.emplace(everybody());
    thread_.post([this, job] { run(job); });
  }
  protocol::time_point now() const override { return net::io_thread::clock::now(); }
  reminder_id remind(caf::actor_addr who, protocol::time_point when) override {
    return thread_.at(when, [who = std::move(who)] {
      if (auto alive = caf::actor_cast<caf::actor>(who))
        caf::anon_send(alive, tick{});
    });
  }
  void forget(reminder_id which) override { thread_.cancel(which); }
  net::io_thread& thread() { return thread_; }

private:
  /// Messages that an actor handles before others have their turn: more than what one read of every pipe can make, so
  /// that nobody's mailbox grows while what fills it is read.
  static constexpr std::size_t throughput = 16'384;

  void run(caf::resumable* job) {
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
