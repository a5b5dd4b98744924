#pragma once

#include "protocol/message/message.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Replaces one part of a text. The rest stays byte for byte.
struct edit {
  slice at;
  std::string by;
};

/// The edit that replaces `part`, a view into `text` such as `find_member` returns.
edit replacing(std::string_view text, std::string_view part, std::string by);

/// The text with all edits made; their parts must not overlap.
std::string spliced(std::string_view text, std::vector<edit> edits);

/// The same for a message, whose `id_at`, `reference_at`, `name_at` and `params_at` are kept correct. The edits must
/// not overlap the first two.
message spliced(message from, std::vector<edit> edits);

/// The object without its members of that name.
std::string without_member(std::string_view object, std::string_view name);

/// The object with a member of that name, a JSON value, in place of those that it has.
std::string with_member(std::string_view object, std::string_view name, std::string_view value);

/// Says of a member of an object whether it goes.
using member_choice = std::function<bool(std::string_view key, std::string_view value)>;

/// Adds the edits that take members out of an object, which is a part of `text` and may be given without its end; the
/// others stay byte for byte. False when none is left. The choice may add edits of its own.
bool cut_members(std::string_view text, std::string_view object, const member_choice& goes, std::vector<edit>& edits);

/// The edit that adds members, without the braces, at the end of an object that is a part of `text`. `has_others`:
/// whether others stay in it.
edit adding(std::string_view text, std::string_view object, bool has_others, std::string members);

} // namespace troupe::protocol
