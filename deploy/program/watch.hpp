#pragma once

#include "net/owned_descriptor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::deploy {

/// Debouncer of file events: reports one change once no event has arrived for a while.
class debounce {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr auto rest = std::chrono::milliseconds{200};
  /// Time limit after which a file that is still being written counts as changed.
  static constexpr auto longest = std::chrono::seconds{2};

  /// Takes an event.
  void touched(time_point now) {
    if (!first_)
      first_ = now;
    last_ = now;
  }

  /// Time at which the change is settled, unless another event arrives; empty when none arrived.
  std::optional<time_point> due() const {
    return first_ ? std::optional(std::min<time_point>(last_ + rest, *first_ + longest)) : std::nullopt;
  }

  /// Returns true once for each change.
  bool settled(time_point now) {
    const auto when = due();
    if (!when || now < *when)
      return false;
    first_.reset();
    return true;
  }

private:
  std::optional<time_point> first_;
  time_point last_;
};

/// Watch on a file that also notices a rename onto it or a changed symbolic link in its path: editors replace files,
/// Kubernetes switches the link `..data`. Therefore it watches directories, and compares the file at the path. Polls
/// every few seconds for changes that the kernel does not report, such as on network file systems.
class file_watch {
public:
  using time_point = debounce::time_point;

  static constexpr auto look_interval = std::chrono::seconds{5};

  file_watch(std::string path, time_point now);

  /// Descriptor that is readable after an event near the file; -1 when the kernel has no more watches.
  int descriptor() const { return descriptor_.get(); }
  /// Time to call `changed` again, even if the descriptor is not readable.
  time_point due() const;
  /// True if the file has changed since this last returned true, and is no longer being written.
  bool changed(time_point now);

private:
  /// Identity of a file, and the time of its last write.
  using fingerprint = std::array<std::uint64_t, 5>;

  std::optional<fingerprint> look() const;
  void watch_directories();
  bool heard();

  std::string path_;
  net::owned_descriptor descriptor_;
  int target_ = -1; // watch on the directory of the file that links lead to
  debounce debounce_;
  time_point next_look_;
  std::optional<fingerprint> known_;
};

} // namespace troupe::deploy
