#pragma once

#include "deploy/program/descriptor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::deploy {

/// Turns the many events of a file that is being written into one change: it waits until no event came for a while.
class debounce {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr auto rest = std::chrono::milliseconds{200};
  /// A file that is never at rest is a change after this long.
  static constexpr auto longest = std::chrono::seconds{2};

  /// An event came.
  void touched(time_point now) {
    if (!first_)
      first_ = now;
    last_ = now;
  }

  /// When the file is at rest, unless a further event comes; nothing when none came.
  std::optional<time_point> due() const {
    return first_ ? std::optional(std::min<time_point>(last_ + rest, *first_ + longest)) : std::nullopt;
  }

  /// True once for each change.
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

/// Notices when a file has changed, also by a rename onto it or a symbolic link on the way to it: editors replace a
/// file, Kubernetes swaps the link `..data`. So it watches the directories, and compares the file that the path leads
/// to. Changes that the kernel does not report, such as those on network file systems, are found by a look every few
/// seconds.
class file_watch {
public:
  using time_point = debounce::time_point;

  static constexpr auto look_interval = std::chrono::seconds{5};

  file_watch(std::string path, time_point now);

  /// Readable when something happened near the file; -1 when the kernel has no more watches.
  int descriptor() const { return descriptor_.number(); }
  /// When to call `changed` again, even if nothing is readable.
  time_point due() const;
  /// Whether the file has changed since this last returned true, and is not being written any more.
  bool changed(time_point now);

private:
  /// Which file it is, and when it was last written.
  using fingerprint = std::array<std::uint64_t, 5>;

  std::optional<fingerprint> look() const;
  void watch_directories();
  bool heard();

  std::string path_;
  deploy::descriptor descriptor_;
  int target_ = -1; // the watch of the directory that links lead to
  debounce debounce_;
  time_point next_look_;
  std::optional<fingerprint> known_;
};

} // namespace troupe::deploy
