#pragma once

#include "actors/troupe/access_record.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Records with their texts, one behind the other, so that they can be read when their own texts are gone. Far quicker
/// than to write their lines. Of longer texts there is what a line has of them, see `longest_access_value`.
class packed_records {
public:
  packed_records() = default;
  packed_records(const packed_records&) = delete;
  packed_records& operator=(const packed_records&) = delete;

  /// False, and nothing is done, when there would be more than that many bytes.
  bool append(const access_record& record, std::size_t most = std::string_view::npos);
  void swap(packed_records& other) noexcept;
  /// For `take_packed`, until something is appended.
  std::string_view all() const { return {room_.data(), used_}; }
  bool is_empty() const { return used_ == 0; }
  /// Keeps the memory.
  void clear() { used_ = 0; }

private:
  /// Larger than what is used of it: to fill it anew each time would cost as much again.
  std::string room_;
  std::size_t used_ = 0;
};

/// Reads the first of packed records, and takes it off them; there is one. Its texts stand where it did.
access_record take_packed(std::string_view& from);

} // namespace troupe::deploy
