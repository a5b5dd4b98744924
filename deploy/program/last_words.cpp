#include "deploy/program/last_words.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>

namespace troupe::deploy {

namespace {

using last_words_clock = std::chrono::steady_clock;

constexpr auto last_words_time = std::chrono::seconds{2};

/// Milliseconds for `poll`, rounded up so that it never returns before.
int wait_until(last_words_clock::time_point when) {
  const auto time = std::chrono::ceil<std::chrono::milliseconds>(when - last_words_clock::now());
  return static_cast<int>(std::max<std::int64_t>(time.count(), 0));
}

/// Without a descriptor for `written` it waits for as long as it may.
bool is_written_in_time(const descriptor& written, signals& arrived) {
  const auto end = last_words_clock::now() + last_words_time;
  pollfd waits[] = {{written.number(), POLLIN, 0}, {arrived.descriptor(), POLLIN, 0}};
  while (last_words_clock::now() < end) {
    ::poll(waits, 2, wait_until(end));
    if ((waits[0].revents & POLLIN) != 0)
      return true;
    if (is_stop(arrived.next()))
      return false;
  }
  return false;
}

} // namespace

void last_words(const std::function<void()>& write, signals& arrived, int status) {
  const descriptor written{::eventfd(0, EFD_CLOEXEC)};
  std::thread writing{[&] {
    write();
    ::eventfd_write(written.number(), 1);
  }};
  if (!is_written_in_time(written, arrived))
    std::_Exit(status); // a thread that waits for a reader cannot be ended in any other way
  writing.join();
}

} // namespace troupe::deploy
