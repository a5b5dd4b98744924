#pragma once

#include "protocol/catalog/catalog_members.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A tool, a prompt or a resource: whose it is, and what that server calls it.
struct owned_name {
  catalog_member* owner;
  std::string original;
};

/// Whose a name is that bears no mark of a server: the one's without a prefix. Nothing when there is none, or several.
std::optional<owned_name> owner_of_unmarked(catalog_members& members, std::string_view name);

} // namespace troupe::protocol
