#pragma once

#include "protocol/message/message.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Kinds of lists that a server offers.
enum class list_kind { tools, prompts, resources, templates };

/// Lists by their `list_changed` notification: resources and templates share one.
enum class list_group { tools, prompts, resources };

/// Returns the list that a method requests; nullopt for other methods.
std::optional<list_kind> list_asked_by(std::string_view method);
/// Returns the method that requests a list.
std::string_view list_method(list_kind kind);
/// Returns the member of the answer that holds the list.
std::string_view items_member(list_kind kind);
/// Returns the member of an item that identifies it: `name`, `uri` or `uriTemplate`.
std::string_view key_member(list_kind kind);

/// Whether another page follows one with that `nextCursor`, a JSON token that is empty if absent. An empty string ends
/// the list before 2026-07-28; since then it is a cursor like any other (server/utilities/pagination).
bool has_next_page(std::string_view next_cursor, bool is_modern);

list_group group_of(list_kind kind);
/// Returns the group whose change a notification announces; nullopt for other notifications.
std::optional<list_group> group_changed_by(std::string_view method);
/// Returns the notification that announces a change.
std::string_view changed_method(list_group group);

/// Names of a group of lists. `capability`: the capability whose `listChanged` announces notifications. `flag`: the
/// member of `notifications` by which stateless (2026-07-28) clients request them (subscriptions).
struct listen_members {
  list_group group;
  std::string_view capability, flag;
};

inline constexpr std::array<listen_members, 3> all_listen_members{
    {{list_group::tools, "tools", "toolsListChanged"},
     {list_group::prompts, "prompts", "promptsListChanged"},
     {list_group::resources, "resources", "resourcesListChanged"}}};

/// Returns the `notifications` of a `subscriptions/listen` for these groups and resources.
template <class Groups, class Uris>
std::string listen_text(const Groups& groups, const Uris& uris) {
  std::vector<std::string> members;
  for (auto& words : all_listen_members)
    if (std::ranges::find(groups, words.group) != groups.end())
      members.push_back(quoted(words.flag) + ":true");
  if (!uris.empty())
    members.push_back(R"("resourceSubscriptions":[)" + joined(uris, ",", quoted) + "]");
  return "{" + joined(members, ",") + "}";
}

/// Whether a JSON object has a member of that name, and all of that name are strings that `is_good` accepts. Peers
/// disagree on whether the first or the last of two equal members counts.
bool all_good(std::string_view object, std::string_view name, const std::function<bool(const std::string&)>& is_good);

/// Returns an answer without those items of the list under `items` that `keeps` rejects. The rest stays unchanged, as
/// does an answer without such a list. Calls `keeps` once for each item.
message filtered_list(message answer, std::string_view items, const std::function<bool(std::string_view item)>& keeps);

} // namespace troupe::protocol
