#pragma once

#include <span>
#include <string_view>

namespace troupe::protocol {

/// Whether a text is valid JSON, by the measure of `json_error` but quicker. False when that has to look at it: when it
/// is not valid, or one of a few that are not read here, such as a text with half a surrogate pair.
bool surely_valid(std::string_view text);

/// A member that is looked for, and what was found: its value as it stands in the text, null when there is none.
struct wanted_member {
  std::string_view name;
  /// Those that are looked for in it, should it be an object.
  std::span<wanted_member> members = {};
  std::string_view value = {};
};

/// Finds members of the object that a text is, and checks the text in the same pass. False when a closer look is
/// needed: the text is not surely valid, or in an object that was looked into a member that is wanted is there twice or
/// any name is written with an escape.
bool find_checked(std::string_view text, std::span<wanted_member> members);

} // namespace troupe::protocol
