#include "protocol/message/modern_refusal.hpp"

#include "protocol/rejection.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

/// Whether a client may lack a capability. Unknown for those that no profile has, such as extensions: true.
bool may_lack(const client_profile& can, std::string_view needed) {
  for (object_reader members{needed}; members.next();)
    if (members.key() != "elicitation" && members.key() != "sampling" && members.key() != "roots")
      return true;
  return !covers(can, read_profile(needed));
}

constexpr std::array<int, 6> may_be = {error_code::unsupported_stateless_version,
                                       error_code::missing_capability,
                                       error_code::header_mismatch,
                                       error_code::method_not_found,
                                       error_code::invalid_params,
                                       error_code::invalid_request};

} // namespace

std::optional<std::string> wrong_refusal(std::string_view error, const client_profile& can) {
  const auto code = code_of_error(error);
  if (code == error_code::header_mismatch || code == error_code::unsupported_stateless_version)
    return "The MCP server did not understand the gateway: " + string_member(error, {"message"});
  if (code != error_code::missing_capability)
    return std::nullopt;
  auto needed = find_member(error, {"data", "requiredCapabilities"}).value_or("");
  if (!needed.starts_with('{') || !object_reader{needed}.next())
    return "The MCP server refused the client as not capable enough, and did not say of what";
  if (may_lack(can, needed))
    return std::nullopt;
  return "The MCP server refused the client for the lack of what it is capable of: " + std::string{needed};
}

bool may_be_modern(const message& answer) { return std::ranges::find(may_be, error_code_of(answer)) != may_be.end(); }

bool is_surely_modern(const message& answer, int status) {
  const auto code = error_code_of(answer);
  return names_versions(answer) || code == error_code::header_mismatch || code == error_code::missing_capability ||
         (status == 404 && code == error_code::method_not_found);
}

bool names_versions(const message& answer) {
  auto supported = find_member(answer.text, {"error", "data", "supported"});
  return error_code_of(answer) == error_code::unsupported_stateless_version && supported && supported->starts_with('[');
}

} // namespace troupe::protocol
