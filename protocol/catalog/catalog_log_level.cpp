#include "protocol/catalog/catalog_log_level.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/text/words.hpp"

#include <string>

namespace troupe::protocol {

namespace {

message set_level(severity level) {
  return own_message(R"({"jsonrpc":"2.0","id":0,"method":"logging/setLevel","params":{"level":")" +
                     std::string{name_of(level)} + "\"}}");
}

} // namespace

void catalog_log_level::set(const message& from, catalog_effects& out) {
  auto name = string_param(from, "level");
  auto level = read_severity(name);
  if (!level) {
    out.push_back(refused(from, error_code::invalid_params, "Unknown log level: " + one_line(name)));
    return;
  }
  out.push_back(tell_client{own_message(empty_result(from.id))});
  level_ = level;
  for (auto& one : sender_.members().all())
    if (one.ready())
      tell(one, out);
}

/// The answer to an earlier one does not matter any more: a client that asks again and again leaves nothing behind.
void catalog_log_level::tell(catalog_member& one, catalog_effects& out) {
  if (!level_ || !one.capabilities->logging)
    return;
  constexpr auto level = member_request::kind::level;
  sender_.forget(one.id(), level);
  sender_.ask(one, set_level(*level_), {.server = one.id(), .is = level}, out);
}

} // namespace troupe::protocol
