#include "deploy/program/own_process.hpp"

#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// Exits with the status that shells and `docker stop` expect after a fatal signal.
extern "C" void end_first_process(int number) { ::_exit(128 + number); }

} // namespace

std::size_t raise_descriptor_limit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return 0;
  const auto before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit); // a failure leaves the limit as it is
  return before;
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

no_adoption::no_adoption() {
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_, 0, 0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

no_adoption::~no_adoption() { ::prctl(PR_SET_CHILD_SUBREAPER, before_, 0, 0, 0); }

/// The kernel makes orphans children of the oldest thread. Servers are started by other threads, and reaped there.
void reap_orphans() {
  while (::waitpid(-1, nullptr, WNOHANG | __WNOTHREAD) > 0) {
  }
}

void end_by_signals_if_first() {
  if (::getpid() != 1)
    return;
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    std::signal(number, end_first_process);
}

} // namespace troupe::deploy
