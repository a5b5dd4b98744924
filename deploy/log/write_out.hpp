#pragma once

#include <cstdint>
#include <string_view>

namespace troupe::deploy {

/// Writes bytes to a descriptor, and waits for a reader as long as it takes. Gives what could not be written, for
/// instance because the disk is full.
std::string_view write_out(int descriptor, std::string_view bytes);

/// Writes lines to a descriptor, each of which ends with a line break. What comes behind a line that could not be
/// written whole begins on a line of its own. On one thread.
class whole_lines {
public:
  explicit whole_lines(int descriptor) : descriptor_(descriptor) {}

  /// Gives how many lines could not be written whole.
  std::uint64_t write(std::string_view lines);

private:
  int descriptor_;
  /// The last thing written was a part of a line.
  bool is_broken_ = false;
};

} // namespace troupe::deploy
