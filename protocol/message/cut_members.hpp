#pragma once

#include "protocol/message/splice.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Says of a member of an object whether it goes.
using member_choice = std::function<bool(std::string_view key, std::string_view value)>;

/// Adds the edits that take members out of an object, which is a part of `text` and may be given without its end; the
/// others stay byte for byte. False when none is left. The choice may add edits of its own.
bool cut_members(std::string_view text, std::string_view object, const member_choice& goes, std::vector<edit>& edits);

/// The edit that adds members, without the braces, at the end of an object that is a part of `text`. `has_others`:
/// whether others stay in it.
edit adding(std::string_view text, std::string_view object, bool has_others, std::string members);

} // namespace troupe::protocol
