#pragma once

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The lists that a server offers.
enum class list_kind { tools, prompts, resources, templates };

/// What `list_changed` is announced for: resources and templates have one announcement.
enum class list_group { tools, prompts, resources };

/// The list that a method asks for; nothing when it asks for none.
std::optional<list_kind> list_asked_by(std::string_view method);
/// The method that asks for a list.
std::string_view list_method(list_kind kind);
/// The member of the answer that holds the list.
std::string_view items_member(list_kind kind);
/// The member of an item that identifies it: `name`, `uri` or `uriTemplate`.
std::string_view key_member(list_kind kind);

/// Whether a list goes on after a page with that `nextCursor`, a JSON token that is empty when there is none. An empty
/// string ends it before 2026-07-28, when it became a cursor like any other (server/utilities/pagination).
bool goes_on(std::string_view next_cursor, bool is_modern);

list_group group_of(list_kind kind);
/// The group that a notification announces a change of; nothing when it announces none.
std::optional<list_group> group_changed_by(std::string_view method);
/// The notification that announces a change.
std::string_view changed_method(list_group group);

} // namespace troupe::protocol
