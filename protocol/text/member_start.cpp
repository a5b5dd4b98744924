#include "protocol/text/member_start.hpp"

#include "protocol/text/json.hpp"

namespace troupe::protocol {

std::optional<std::string_view> member_start(std::string_view object, std::initializer_list<std::string_view> path) {
  auto rest = trimmed(object);
  for (auto name : path) {
    if (!rest.starts_with('{'))
      return std::nullopt;
    object_reader members{rest};
    if (!members.find(name))
      return std::nullopt;
    rest = members.rest();
  }
  return rest;
}

} // namespace troupe::protocol
