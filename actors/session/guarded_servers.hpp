#pragma once

#include "actors/messages.hpp"
#include "protocol/access/entry_scopes.hpp"

#include <memory>
#include <vector>

namespace troupe::actors {

/// The one server of a session, as its requests are judged. None when all may use all of it.
std::vector<protocol::guarded_server> guarded_server_of(const std::shared_ptr<const protocol::permissions>& access);
/// The same for those that a session sees merged, by the names that they have there.
std::vector<protocol::guarded_server> guarded_servers_of(const std::vector<member>& members);

/// Those of the merged servers that a caller may use. What they are called depends on all of them.
std::vector<member> usable_members(std::vector<member> all, const protocol::caller& who);

/// What rules about who may use what go by, besides who somebody is: one text for each set of scopes and groups.
std::string rights_told(const protocol::caller& who);

} // namespace troupe::actors
