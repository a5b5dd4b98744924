#pragma once

#include <chrono>
#include <ctime>

namespace troupe::net {

/// Clock that also counts the time in which the machine is suspended (CLOCK_BOOTTIME). It serves what other machines
/// count, too: the tenure in the store, and the silence after which other nodes drop this one.
///
/// All other times are of the steady clock, which stands still meanwhile: a laptop's sessions and calls survive a
/// night. The times of the two clocks are not comparable. A virtual machine that is paused without its knowledge counts
/// the pause by neither.
struct boot_clock {
  /// Callable from any thread.
  static std::chrono::steady_clock::time_point now() {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::steady_clock::time_point{std::chrono::seconds{time.tv_sec} +
                                                 std::chrono::nanoseconds{time.tv_nsec}};
  }
};

} // namespace troupe::net
