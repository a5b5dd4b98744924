#include "deploy/program/signals.hpp"

#include "deploy/program/orphans.hpp"

#include <csignal>
#include <sys/signalfd.h>

namespace troupe::deploy {

namespace {

int blocked_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGCHLD})
    sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

} // namespace

signals::signals() : descriptor_(blocked_signals()) { adopt_orphans(); }

std::optional<int> signals::next() {
  signalfd_siginfo arrived{};
  while (::read(descriptor_.number(), &arrived, sizeof arrived) == sizeof arrived) {
    if (arrived.ssi_signo == SIGCHLD) {
      reap_orphans();
      continue;
    }
    sender_ = {arrived.ssi_code, static_cast<pid_t>(arrived.ssi_pid), static_cast<uid_t>(arrived.ssi_uid)};
    return static_cast<int>(arrived.ssi_signo);
  }
  return std::nullopt;
}

bool is_stop(std::optional<int> signal) { return signal && (*signal == SIGTERM || *signal == SIGINT); }

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
