#pragma once

#include "actors/messages.hpp"
#include "protocol/access/entry_scopes.hpp"

#include <memory>
#include <vector>

namespace troupe::actors {

/// What clients may mean of the one server of a session. Null when all may use all of it.
protocol::guarded_things guarded_things_of(const std::shared_ptr<const protocol::permissions>& access);
/// What clients may mean by the names of a merged list. Null when all may use all of these servers.
protocol::guarded_things guarded_things_of(const std::vector<member>& members);

/// Those of the merged servers that a caller may use. What they are called depends on all of them.
std::vector<member> usable_members(std::vector<member> all, const protocol::caller& who);

/// What rules about who may use what go by, besides who somebody is: one text for each set of scopes and groups.
std::string rights_told(const protocol::caller& who);

} // namespace troupe::actors
