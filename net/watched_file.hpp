#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::net {

/// File that is read again once it has changed: it was written, replaced, or its owner or permissions changed. Reading
/// blocks. Anything but a regular file, such as a pipe, is read once.
class watched_file {
public:
  struct news {
    std::string text = {};
    /// Why the file cannot be read, in one line; empty on success.
    std::string why_not = {};
  };

  watched_file(std::string path, std::size_t longest) : path_{std::move(path)}, longest_{longest} {}

  const std::string& path() const { return path_; }
  /// Returns the text, or why the file cannot be read; nullopt if it has not changed since the last call.
  std::optional<news> look();

private:
  /// State of the file, compared to detect a change.
  struct mark {
    /// Time of the last write, rename, or change of owner or permissions.
    std::chrono::nanoseconds changed = {};
    std::uintmax_t size = 0;
    std::uintmax_t number = 0;
    bool is_regular = false;
    int error = 0;
    friend bool operator==(const mark&, const mark&) = default;
  };
  mark mark_now() const;
  news read() const;

  std::string path_;
  std::size_t longest_;
  std::optional<mark> seen_;
};

} // namespace troupe::net
