#pragma once

#include <span>
#include <string_view>

namespace troupe::protocol {

/// Quick check for valid JSON. True: the text is valid. False: `json_error` decides. A few valid texts, such as those
/// with half a surrogate pair, are left to `json_error`.
bool surely_valid(std::string_view text);

/// Member to find, and its value as it stands in the text; `value` is null if there is no such member.
struct wanted_member {
  std::string_view name;
  /// Members to find in the value, if it is an object.
  std::span<wanted_member> members = {};
  std::string_view value = {};
};

/// Finds members of a JSON object and validates the text in the same pass. False if the slower functions have to
/// decide: the text may be invalid, or a searched object has a wanted member twice or a name with an escape.
/// `has_others`, if given, becomes true if the object has members besides the wanted ones.
bool find_checked(std::string_view text, std::span<wanted_member> members, bool* has_others = nullptr);

} // namespace troupe::protocol
