#pragma once

#include <string_view>
#include <vector>

namespace troupe::protocol {

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
