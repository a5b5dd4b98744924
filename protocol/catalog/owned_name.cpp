#include "protocol/catalog/owned_name.hpp"

namespace troupe::protocol {

std::optional<owned_name> owner_of_unmarked(catalog_members& members, std::string_view name) {
  auto plain = members.sole_unprefixed();
  return plain ? std::optional{owned_name{members.find(plain->id()), std::string{name}}} : std::nullopt;
}

} // namespace troupe::protocol
