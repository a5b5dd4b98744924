#pragma once

#include "deploy/program/signal_sender.hpp"
#include "net/owned_descriptor.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace troupe::deploy {

/// SIGTERM, SIGINT, SIGHUP and SIGUSR2 as a descriptor to poll (signalfd). Blocks them on this thread and all threads
/// that it starts, so that they arrive nowhere else, and keeps them blocked when destroyed. Create it on the first
/// thread.
class signals {
public:
  signals();

  /// Descriptor that is readable when a signal has arrived.
  int descriptor() const { return descriptor_.get(); }
  /// Returns the number of a signal that has arrived; empty when none has.
  std::optional<int> next();
  /// Returns the sender of the last signal.
  const signal_sender& sender() const { return sender_; }

private:
  net::owned_descriptor descriptor_;
  signal_sender sender_;
};

/// True if the signal ends the process.
bool is_stop(std::optional<int> signal);
/// Returns the name of a signal, such as `SIGTERM`.
const char* signal_name(int number);

/// Returns a timeout for `poll`, in milliseconds, rounded up so that `poll` never returns early.
int milliseconds_until(std::chrono::steady_clock::time_point when);

/// Runs `write`, which writes to stderr or stdout, and returns when it is done. If nothing reads these, exits with
/// `status` after two seconds, or at once on a stop signal.
void write_or_exit(const std::function<void()>& write, signals& arrived, int status);

} // namespace troupe::deploy
