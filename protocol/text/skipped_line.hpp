#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What is known of a line that was skipped because it was too long.
struct skipped_line {
  /// How much of the beginning and of the end is kept, in bytes.
  static constexpr std::size_t kept = 64 * 1024;
  std::string head = {};
  std::string tail = {};
  /// Of the whole line with its CR if it has one, in bytes.
  std::size_t size = 0;

  void add(std::string_view piece);
  /// Nothing more is added.
  void end();

  friend bool operator==(const skipped_line&, const skipped_line&) = default;
};

} // namespace troupe::protocol
