#include "protocol/catalog/catalog_parts.hpp"

#include <utility>

namespace troupe::protocol {

catalog_parts::catalog_parts(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal)
    : most_calls{limits.calls}, members(std::move(servers)), questions(limits.questions), retries(limits.seed),
      sender(members, requests, limits.waiting_bytes),
      greeting(sender, limits.greet_patience, limits.eager_patience, limits.version), level(sender),
      announcements(greeting, sender), names(members),
      lists(sender, names, announcements, retries, limits.list_patience, std::move(seal), limits.seed),
      calls_by_name(sender, names), calls_by_uri(sender) {}

} // namespace troupe::protocol
