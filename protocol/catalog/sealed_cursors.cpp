#include "protocol/catalog/sealed_cursors.hpp"

#include "protocol/message/cache_hints.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace troupe::protocol {

namespace {

/// Requests whose answers have a cursor (2025-11-25, pagination, "Operations Supporting Pagination"; tasks).
bool asks_for_list(const message& request) { return list_asked_by(request.method) || request.is_method("tasks/list"); }

/// Nothing else that is sealed begins so.
std::string cursor_text(const std::string& cursor) { return "cursor " + cursor; }

/// Replaces each value of a member that is a text and not empty. False when there is nothing to replace one by.
template <class Change>
bool change_texts(std::string_view text, std::string_view object, std::string_view name, Change change,
                  std::vector<edit>& edits) {
  if (!object.starts_with('{'))
    return true;
  for (object_reader members{object}; members.next();) {
    auto before = members.key() == name ? string_value(members.value()) : std::nullopt;
    if (!before || before->empty())
      continue;
    std::optional<std::string> after = change(*before);
    if (!after)
      return false;
    edits.push_back(replacing(text, members.value(), quoted(*after)));
  }
  return true;
}

/// Whether an object has a member that is a text, be it an empty one.
bool has_text(std::string_view object, std::string_view name) {
  const auto value = object.starts_with('{') ? find_member(object, {name}) : std::nullopt;
  return value && value->starts_with('"');
}

} // namespace

std::string sealed_cursors::sealed(const std::string& cursor) const {
  return base64url(seal_(cursor_text(cursor)).front() + cursor);
}

std::optional<std::string> sealed_cursors::unsealed(const std::string& cursor) const {
  const auto text = from_base64url(cursor);
  const auto size = seal_({}).front().size();
  if (!text || text->size() < size)
    return std::nullopt;
  const auto seal = std::string_view{*text}.substr(0, size);
  auto result = text->substr(size);
  const auto is_ours =
      std::ranges::any_of(seal_(cursor_text(result)), [&](auto& one) { return same_secret(one, seal); });
  return is_ours ? std::optional{std::move(result)} : std::nullopt;
}

std::optional<message> sealed_cursors::refuse(message& to_server) {
  if (to_server.is_method("notifications/cancelled"))
    lists_.erase(to_server.reference);
  if (!is_request(to_server) || !asks_for_list(to_server))
    return std::nullopt;
  std::vector<edit> edits;
  const auto params = find_member(to_server.text, {"params"}).value_or("");
  if (!change_texts(
          to_server.text, params, "cursor", [this](auto& cursor) { return unsealed(cursor); }, edits))
    return own_message(error_text(to_server.id, error_code::invalid_params, "Invalid cursor"));
  lists_.insert_or_assign(to_server.id, has_text(params, "cursor"));
  to_server = spliced(std::move(to_server), std::move(edits));
  return std::nullopt;
}

message sealed_cursors::shown(message from_server) {
  if (from_server.kind != message_kind::response)
    return from_server;
  const auto list = lists_.extract(from_server.id);
  if (list.empty())
    return from_server;
  std::vector<edit> edits;
  const auto result = find_member(from_server.text, {"result"}).value_or("");
  change_texts(
      from_server.text, result, "nextCursor", [this](auto& cursor) { return std::optional{sealed(cursor)}; }, edits);
  if (list.mapped() || has_text(result, "nextCursor"))
    make_private(from_server.text, result, edits);
  return spliced(std::move(from_server), std::move(edits));
}

} // namespace troupe::protocol
