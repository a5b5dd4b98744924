#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A part of a text that gives way to another. What is around it stays byte for byte.
struct edit {
  slice at;
  std::string by;
};

/// The edit of a part that was found in `text`, such as a token that `find_member` gave.
edit replacing(std::string_view text, std::string_view part, std::string by);

/// The text with all edits made; their parts must not overlap.
std::string spliced(std::string_view text, std::vector<edit> edits);

/// The same for a message, whose id and reference stay where they can be found. They are not to be edited.
message spliced(message from, std::vector<edit> edits);

/// The object without its members of that name.
std::string without_member(std::string_view object, std::string_view name);

} // namespace troupe::protocol
