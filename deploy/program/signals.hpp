#pragma once

#include "deploy/program/descriptor.hpp"
#include "deploy/program/signal_sender.hpp"

#include <functional>
#include <optional>

namespace troupe::deploy {

/// SIGTERM, SIGINT, SIGHUP and SIGUSR2 as a file descriptor to wait for (signalfd). Blocks them for this thread and all
/// threads that it starts, so that they arrive nowhere else. They stay blocked after destruction. On the first thread.
///
/// Meanwhile this process adopts what servers leave behind, and lets go of it once that has ended (SIGCHLD).
class signals {
public:
  signals();

  /// Readable when a signal has arrived.
  int descriptor() const { return descriptor_.number(); }
  /// The number of a signal that has arrived; nothing when none has.
  std::optional<int> next();
  /// The sender of the last signal.
  const signal_sender& sender() const { return sender_; }

private:
  deploy::descriptor descriptor_;
  signal_sender sender_;
};

/// Whether it is one that ends the process.
bool is_stop(std::optional<int> signal);
/// `SIGTERM`
const char* signal_name(int number);

/// Runs `write`, which writes to stderr or stdout, and returns when it is done. Nobody may read these: then the process
/// ends with `status`, after two seconds, or at once when a stop signal arrives.
void last_words(const std::function<void()>& write, signals& arrived, int status);

} // namespace troupe::deploy
