#include "deploy/program/drain.hpp"

#include <thread>

#include <poll.h>
#include <sys/eventfd.h>

namespace troupe::deploy {

namespace {

void hurry_at(std::optional<int> signal, gateway& running, const log_sink& log) {
  if (!is_stop(signal))
    return;
  log({log_level::info, "hurrying", {{"signal", signal_name(*signal)}}});
  running.hurry();
}

} // namespace

void drain(gateway& running, signals& arrived, const log_sink& log) {
  const descriptor ended{::eventfd(0, EFD_CLOEXEC)};
  if (ended.number() < 0)
    return running.drain(); // without a descriptor a second signal has no effect
  std::thread draining{[&] {
    running.drain();
    ::eventfd_write(ended.number(), 1);
  }};
  pollfd waits[] = {{ended.number(), POLLIN, 0}, {arrived.descriptor(), POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0 || (waits[0].revents & POLLIN) == 0)
    hurry_at(arrived.next(), running, log);
  draining.join();
}

} // namespace troupe::deploy
