#pragma once

#include "deploy/program/descriptor.hpp"
#include "deploy/program/settling.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::deploy {

/// Notices when a file has changed, also by a rename onto it or a symbolic link on the way to it: editors replace a
/// file, Kubernetes swaps the link `..data`. So it watches directories, and compares what the path leads to. What the
/// kernel does not tell, as of a network's files, it sees when it looks every few seconds.
class file_watch {
public:
  using time_point = settling::time_point;

  static constexpr auto look_interval = std::chrono::seconds{5};

  file_watch(std::string path, time_point now);

  /// Readable when something happened near the file; -1 when the kernel has no more watches.
  int descriptor() const { return descriptor_.number(); }
  /// When `changed` wants to be asked again, even if nothing is readable.
  time_point due() const;
  /// Whether the file has changed since the last time that this said so, and is at rest.
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
  settling settling_;
  time_point next_look_;
  std::optional<fingerprint> known_;
};

} // namespace troupe::deploy
