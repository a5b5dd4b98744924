#include "protocol/message/era.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

constexpr std::array<std::string_view, 5> session_versions{"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18",
                                                           newest_session_version};

/// Clients that negotiate search the text: its first words are fixed.
rejection unsupported(std::string_view id) {
  return {400, error_code::unsupported_version,
          "Unsupported protocol version (supported versions: 2025-11-25, 2025-06-18, 2025-03-26)", std::string{id}};
}

bool is_date(std::string_view version) {
  constexpr std::string_view shape = "0000-00-00";
  auto same = [](char a, char b) { return b == '-' ? a == '-' : a >= '0' && a <= '9'; };
  return std::equal(version.begin(), version.end(), shape.begin(), shape.end(), same);
}

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

bool is_session_version(std::string_view version) {
  return std::find(session_versions.begin(), session_versions.end(), version) != session_versions.end();
}

bool is_modern_version(std::string_view version) { return version >= newest_stateless_version && is_date(version); }

std::optional<rejection> refuse_version(std::string_view version) {
  if (version.empty() || is_session_version(version))
    return std::nullopt;
  return unsupported({});
}

std::optional<rejection> refuse_era(std::string_view version, const post_body& body) {
  for (auto& message : body.messages)
    if (message.claims_modern)
      return unsupported(message.id);
  auto refused = refuse_version(version);
  if (refused && !body.batch && is_request(body.messages.front()))
    refused->id = body.messages.front().id;
  return refused;
}

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
