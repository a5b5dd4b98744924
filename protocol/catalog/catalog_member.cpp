#include "protocol/catalog/catalog_member.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/text/json.hpp"

#include <utility>

namespace troupe::protocol {

catalog_member::catalog_member(catalog_server configured) : server{std::move(configured)} {
  auto known = std::exchange(server.known, {});
  if (!json_error(known) && trimmed(known).front() == '{')
    know(known);
}

void catalog_member::know(std::string_view result) {
  capabilities = read_server_capabilities(result);
  instructions = string_member(result, {"instructions"});
}

bool catalog_member::may_list(list_group group) const {
  return !failed && capabilities.value_or(every_capability).has(group);
}

server_capabilities catalog_member::presumed() const { return capabilities.value_or(every_capability); }

bool catalog_member::drop_waiting(std::uint64_t own_id) {
  auto id = std::to_string(own_id);
  return std::erase_if(waiting, [&](const message& one) { return same_id(one.id, id); }) != 0;
}

} // namespace troupe::protocol
