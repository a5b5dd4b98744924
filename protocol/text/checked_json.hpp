#pragma once

#include <span>
#include <string_view>

namespace troupe::protocol {

/// A quick check for valid JSON. True: the text is valid. False: it may be invalid, and `json_error` decides; a few
/// valid texts, such as those with half a surrogate pair, are left to that.
bool surely_valid(std::string_view text);

/// A member to find, and its value as it stands in the text; a null `value` when there is no such member.
struct wanted_member {
  std::string_view name;
  /// Members to find in the value, if that is an object.
  std::span<wanted_member> members = {};
  std::string_view value = {};
};

/// Finds members of a JSON object and checks the text in the same pass. False when the slower functions have to decide:
/// the text may be invalid, or in an object that was searched a wanted member stands twice or a name has an escape.
/// `has_others`, where it is given, becomes true when the object has members besides those that are wanted.
bool find_checked(std::string_view text, std::span<wanted_member> members, bool* has_others = nullptr);

} // namespace troupe::protocol
