#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace troupe::protocol {

/// Copies of the beginning and the end of a text, for when the text itself is gone. Allocates nothing.
class text_ends {
public:
  explicit text_ends(std::string_view of) : size_{of.size()} {
    of.copy(head_.data(), most);
    of.substr(of.size() - kept()).copy(tail_.data(), most);
  }

  std::string_view head() const { return {head_.data(), kept()}; }
  std::string_view tail() const { return {tail_.data(), kept()}; }
  /// Whether the text is longer than its beginning.
  bool is_cut() const { return size_ > most; }

private:
  static constexpr std::size_t most = 200;

  std::size_t kept() const { return std::min(size_, most); }

  std::size_t size_;
  std::array<char, most> head_;
  std::array<char, most> tail_;
};

} // namespace troupe::protocol
