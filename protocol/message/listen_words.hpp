#pragma once

#include "protocol/message/list_kind.hpp"

#include <array>
#include <string_view>

namespace troupe::protocol {

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

} // namespace troupe::protocol
