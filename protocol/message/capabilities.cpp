#include "protocol/message/capabilities.hpp"

#include "protocol/text/json.hpp"

namespace troupe::protocol {

bool client_capabilities::allow(std::string_view method) const {
  if (method.starts_with("sampling/"))
    return sampling;
  if (method.starts_with("elicitation/"))
    return elicitation;
  if (method.starts_with("roots/"))
    return roots;
  return true;
}

client_capabilities read_capabilities(std::string_view initialize) {
  auto has = [&](std::string_view name) {
    return find_member(initialize, {"params", "capabilities", name}).has_value();
  };
  return {has("sampling"), has("elicitation"), has("roots")};
}

} // namespace troupe::protocol
