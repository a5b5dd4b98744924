#include "deploy/program/signals.hpp"

#include "deploy/program/own_process.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <thread>

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

using last_words_clock = std::chrono::steady_clock;

constexpr auto last_words_time = std::chrono::seconds{2};

/// Waits for `written`, a stop signal, or the time limit. Without a descriptor for `written`, only for the last two.
bool is_written_in_time(const net::owned_descriptor& written, signals& arrived) {
  const auto end = last_words_clock::now() + last_words_time;
  pollfd waits[] = {{written.get(), POLLIN, 0}, {arrived.descriptor(), POLLIN, 0}};
  while (last_words_clock::now() < end) {
    ::poll(waits, 2, milliseconds_until(end));
    if ((waits[0].revents & POLLIN) != 0)
      return true;
    if (is_stop(arrived.next()))
      return false;
  }
  return false;
}

} // namespace

signals::signals() : descriptor_(blocked_signals()) { adopt_orphans(); }

std::optional<int> signals::next() {
  signalfd_siginfo arrived{};
  while (::read(descriptor_.get(), &arrived, sizeof arrived) == sizeof arrived) {
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

int milliseconds_until(std::chrono::steady_clock::time_point when) {
  const auto time = std::chrono::ceil<std::chrono::milliseconds>(when - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(time.count(), 0));
}

void write_or_exit(const std::function<void()>& write, signals& arrived, int status) {
  const net::owned_descriptor written{::eventfd(0, EFD_CLOEXEC)};
  std::thread writing{[&] {
    write();
    ::eventfd_write(written.get(), 1);
  }};
  if (!is_written_in_time(written, arrived))
    std::_Exit(status); // a thread blocked in a write cannot be ended in any other way
  writing.join();
}

} // namespace troupe::deploy
