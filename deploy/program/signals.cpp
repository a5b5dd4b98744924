#include "deploy/program/signals.hpp"

#include <csignal>
#include <sys/signalfd.h>

namespace troupe::deploy {

namespace {

int blocked_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR2})
    sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

} // namespace

signals::signals() : descriptor_(blocked_signals()) {}

std::optional<int> signals::next() {
  signalfd_siginfo arrived{};
  if (::read(descriptor_.number(), &arrived, sizeof arrived) != sizeof arrived)
    return std::nullopt;
  return static_cast<int>(arrived.ssi_signo);
}

bool is_stop(std::optional<int> signal) { return signal == SIGTERM || signal == SIGINT; }

const char* signal_name(int number) {
  switch (number) {
  case SIGUSR2:
    return "SIGUSR2";
  case SIGHUP:
    return "SIGHUP";
  case SIGINT:
    return "SIGINT";
  default:
    return "SIGTERM";
  }
}

} // namespace troupe::deploy
