#include "protocol/catalog/catalog_member.hpp"

#include "protocol/catalog/merged_name.hpp"
#include "protocol/text/json.hpp"

#include <cstddef>
#include <utility>

namespace troupe::protocol {

catalog_member::catalog_member(catalog_server configured) : server{std::move(configured)} {
  server.prefix = clean_prefix(server.prefix);
  auto known = std::exchange(server.known, {});
  if (!json_error(known) && trimmed(known).front() == '{')
    know(known);
}

void catalog_member::know(std::string_view result) {
  capabilities = read_server_capabilities(result);
  auto text = find_member(result, {"instructions"});
  instructions = text ? string_value(*text).value_or("") : "";
}

bool catalog_member::may_list(list_group group) const {
  return !failed && capabilities.value_or(every_capability).has(group);
}

server_capabilities catalog_member::presumed() const {
  return failed ? server_capabilities{} : capabilities.value_or(every_capability);
}

} // namespace troupe::protocol
