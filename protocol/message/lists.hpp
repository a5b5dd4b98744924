#pragma once

#include "protocol/message/message.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
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

/// How a group of lists is called where a server says that it tells of their changes (a capability with `listChanged`),
/// and where a client of 2026-07-28 asks for that (a member of `notifications`, subscriptions).
struct listen_words {
  list_group group;
  std::string_view capability, flag;
};

inline constexpr std::array<listen_words, 3> all_listen_words{
    {{list_group::tools, "tools", "toolsListChanged"},
     {list_group::prompts, "prompts", "promptsListChanged"},
     {list_group::resources, "resources", "resourcesListChanged"}}};

/// Whether a JSON object has a member of that name, and all of them are texts that are good. Peers disagree on whether
/// the first or the last of two equal members counts.
bool all_good(std::string_view object, std::string_view name, const std::function<bool(const std::string&)>& is_good);

/// An answer with a list under `items`, without the items that are not kept; all else of it stays as it came. An answer
/// without such a list stays as it is. Each item is asked about once.
message filtered_list(message answer, std::string_view items, const std::function<bool(std::string_view item)>& keeps);

} // namespace troupe::protocol
