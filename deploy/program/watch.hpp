#pragma once

#include "deploy/program/debounce.hpp"
#include "deploy/program/descriptor.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::deploy {

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
