#include "protocol/modern_server/session_cursors.hpp"

#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/splice.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

constexpr std::string_view cursor_mark = "troupe-cursor:";

/// Replaces each text that is a member of that name by what the change gives, if it gives anything.
template <class Change>
std::vector<edit> edits_of(std::string_view text, std::string_view object, std::string_view name, Change change) {
  std::vector<edit> result;
  if (!object.starts_with('{'))
    return result;
  for (object_reader members{object}; members.next();) {
    auto before = members.key() == name ? string_value(members.value()) : std::nullopt;
    std::optional<std::string> after = before ? change(*before) : std::nullopt;
    if (after)
      result.push_back(replacing(text, members.value(), quoted(*after)));
  }
  return result;
}

std::optional<std::string> marked(const std::string& cursor) {
  auto needs_mark = cursor.empty() || cursor.starts_with(cursor_mark);
  return needs_mark ? std::optional{std::string{cursor_mark} + cursor} : std::nullopt;
}

std::optional<std::string> unmarked(const std::string& cursor) {
  return cursor.starts_with(cursor_mark) ? std::optional{cursor.substr(cursor_mark.size())} : std::nullopt;
}

} // namespace

std::string with_session_cursor(std::string_view result) {
  return spliced(result, edits_of(result, result, "nextCursor", marked));
}

message with_server_cursor(message from) {
  if (!list_asked_by(from.method))
    return from;
  auto params = find_member(from.text, {"params"}).value_or("");
  auto edits = edits_of(from.text, params, "cursor", unmarked);
  return edits.empty() ? from : spliced(std::move(from), std::move(edits));
}

} // namespace troupe::protocol
