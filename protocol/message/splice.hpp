#pragma once

#include "protocol/message/message.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Replacement of one part of a text. The rest stays byte for byte.
struct edit {
  slice at;
  std::string by;
};

/// Returns the edit that replaces `part`, a view into `text` such as `find_member` returns.
edit replacing(std::string_view text, std::string_view part, std::string by);

/// Applies all edits to a text; their parts must not overlap.
std::string spliced(std::string_view text, std::vector<edit> edits);

/// Applies all edits to a message, and keeps its `id_at`, `reference_at`, `name_at` and `params_at` correct. The edits
/// must not overlap the first two.
message spliced(message from, std::vector<edit> edits);

/// Returns the object without its members of that name.
std::string without_member(std::string_view object, std::string_view name);

/// Returns the object with a member of that name, a JSON value, in place of existing ones.
std::string with_member(std::string_view object, std::string_view name, std::string_view value);

/// Predicate: true for a member of an object that is to be removed.
using member_choice = std::function<bool(std::string_view key, std::string_view value)>;

/// Adds the edits that remove members from an object, a part of `text` that may lack its end; the others stay byte for
/// byte. False if no member is left. The predicate may add edits of its own.
bool cut_members(std::string_view text, std::string_view object, const member_choice& goes, std::vector<edit>& edits);

/// Returns the edit that adds members, without the braces, at the end of an object that is a part of `text`.
/// `has_others`: whether other members stay in the object.
edit adding(std::string_view text, std::string_view object, bool has_others, std::string members);

} // namespace troupe::protocol
