#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

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

/// A member of a JSON object, as it stands in the text.
struct cut_member {
  /// Without its quotes, escapes unresolved.
  std::string_view key;
  /// Empty when the text is cut before the value ends.
  std::string_view value;
};

/// The members of a JSON object of which only the beginning and the end are known, such as of one that was too long to
/// be kept. The text need not be valid: what is read ends where it no longer looks like an object.
///
/// Views into the arguments.
std::vector<cut_member> members_of_head(std::string_view head);
/// The same from the end, last member first. A member whose value began before the tail is left out.
std::vector<cut_member> members_of_tail(std::string_view tail);

} // namespace troupe::protocol
