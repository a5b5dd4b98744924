#pragma once

#include <cstdint>
#include <string_view>

namespace troupe::deploy {

/// Writes bytes to a descriptor and blocks while its reader is slow. Returns the bytes that could not be written, for
/// instance because the disk is full.
std::string_view write_out(int descriptor, std::string_view bytes);

/// Writer of lines, each with its line break, to a descriptor. After a line that was written in part, the next begins
/// on a new line. Used on one thread.
class whole_lines {
public:
  explicit whole_lines(int descriptor) : descriptor_(descriptor) {}

  /// Returns the number of lines that could not be written whole.
  std::uint64_t write(std::string_view lines);

private:
  int descriptor_;
  /// True if the last write ended within a line.
  bool is_broken_ = false;
};

} // namespace troupe::deploy
