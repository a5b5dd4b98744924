#include "protocol/message/wrong_refusal.hpp"

#include "protocol/message/message_parts.hpp"

namespace troupe::protocol {

namespace {

constexpr std::string_view code_of_mismatch = "-32020";
constexpr std::string_view code_of_missing_capability = "-32021";
constexpr std::string_view code_of_version = "-32022";

/// Of capabilities that no profile tells of, such as extensions, it is not known whether a client has them.
bool may_lack(const client_profile& can, std::string_view needed) {
  for (object_reader members{needed}; members.next();)
    if (members.key() != "elicitation" && members.key() != "sampling" && members.key() != "roots")
      return true;
  return !covers(can, read_profile(needed));
}

} // namespace

std::optional<std::string> wrong_refusal(std::string_view error, const client_profile& can) {
  auto code = find_member(error, {"code"}).value_or("");
  if (code == code_of_mismatch || code == code_of_version)
    return "The MCP server did not understand the gateway: " + string_member(error, {"message"});
  if (code != code_of_missing_capability)
    return std::nullopt;
  auto needed = find_member(error, {"data", "requiredCapabilities"}).value_or("");
  if (!needed.starts_with('{') || !object_reader{needed}.next())
    return "The MCP server refused the client as not capable enough, and did not say of what";
  if (may_lack(can, needed))
    return std::nullopt;
  return "The MCP server refused the client for the lack of what it is capable of: " + std::string{needed};
}

} // namespace troupe::protocol
