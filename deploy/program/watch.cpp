#include "deploy/program/watch.hpp"

#include <filesystem>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace troupe::deploy {

namespace {

constexpr std::uint32_t events =
    IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_ONLYDIR;

std::string directory_of(const std::filesystem::path& path) {
  const auto parent = path.parent_path();
  return parent.empty() ? "." : parent.string();
}

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace

file_watch::file_watch(std::string path, time_point now)
    : path_(std::move(path)), descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), next_look_(now + look_interval),
      known_(look()) {
  watch_directories();
}

std::optional<file_watch::fingerprint> file_watch::look() const {
  struct stat file {};
  if (::stat(path_.c_str(), &file) != 0)
    return std::nullopt;
  return fingerprint{file.st_dev, file.st_ino, static_cast<std::uint64_t>(file.st_size), nanoseconds(file.st_mtim),
                     nanoseconds(file.st_ctim)};
}

/// Watches the directories of the path and of its target. A watched directory keeps its watch.
void file_watch::watch_directories() {
  const int near = ::inotify_add_watch(descriptor_.get(), directory_of(path_).c_str(), events);
  std::error_code missing;
  const auto target = std::filesystem::canonical(path_, missing);
  if (missing)
    return;
  const int far = ::inotify_add_watch(descriptor_.get(), directory_of(target).c_str(), events);
  if (target_ >= 0 && target_ != far && target_ != near)
    ::inotify_rm_watch(descriptor_.get(), target_);
  target_ = far;
}

bool file_watch::heard() {
  alignas(inotify_event) char buffer[4096];
  bool result = false;
  while (::read(descriptor_.get(), buffer, sizeof buffer) > 0)
    result = true;
  return result;
}

file_watch::time_point file_watch::due() const { return std::min(debounce_.due().value_or(next_look_), next_look_); }

bool file_watch::changed(time_point now) {
  bool touched = heard();
  if (now >= next_look_) {
    next_look_ = now + look_interval;
    watch_directories();
    touched = touched || look() != known_;
  }
  if (touched)
    debounce_.touched(now);
  if (!debounce_.settled(now))
    return false;
  // Read the fingerprint before the caller reads the file: a later write is another change.
  const auto before = std::exchange(known_, look());
  watch_directories();
  return known_ != before;
}

} // namespace troupe::deploy
