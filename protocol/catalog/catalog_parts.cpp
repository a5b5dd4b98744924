#include "protocol/catalog/catalog_parts.hpp"

#include <utility>

namespace troupe::protocol {

catalog_parts::catalog_parts(const catalog_limits& limits, std::vector<catalog_server> servers)
    : members(std::move(servers)), questions(limits.questions), sender(members, requests),
      greeting(members, sender, limits.greet_patience, limits.version), level(members, requests, sender),
      announcements(greeting, sender), names(members),
      from_client(limits, members, requests, sender, greeting, level, names, announcements) {}

} // namespace troupe::protocol
