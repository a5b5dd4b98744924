#include "protocol/catalog/catalog_log_level.hpp"

#include "protocol/message/message_parts.hpp"
#include "protocol/message/severity.hpp"

#include <utility>

namespace troupe::protocol {

void catalog_log_level::set(message from, catalog_effects& out) {
  auto level = string_param(from, "level");
  if (!read_severity(level)) {
    out.push_back(refused(from, error_code::invalid_params, "Unknown log level: " + level));
    return;
  }
  out.push_back(tell_client{own_message(empty_result(from.id))});
  level_ = std::move(from.text);
  for (auto& one : sender_.members().all())
    if (one.ready())
      tell(one, out);
}

/// The answer to an earlier one does not matter any more: a client that asks again and again leaves nothing behind.
void catalog_log_level::tell(catalog_member& one, catalog_effects& out) {
  if (level_.empty() || !one.capabilities->logging)
    return;
  constexpr auto level = member_request::kind::level;
  sender_.forget(one.id(), level);
  sender_.ask(one, own_message(level_), {.server = one.id(), .is = level}, out);
}

} // namespace troupe::protocol
