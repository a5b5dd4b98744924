#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::net {

/// A file that is read again when it has changed: another one has its name, it was written, or somebody else may read
/// it. Reading blocks. What is no regular file, such as a pipe, is read once.
class changing_file {
public:
  struct news {
    std::string text = {};
    /// Why it cannot be read, in one line; empty when it was.
    std::string why_not = {};
  };

  changing_file(std::string path, std::size_t longest) : path_{std::move(path)}, longest_{longest} {}

  const std::string& path() const { return path_; }
  /// What the file says; nothing when that is as it was when last looked at.
  std::optional<news> look();

private:
  /// What tells one state of it from another.
  struct mark {
    /// When it was written, renamed, or given to others.
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
