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

} // namespace

bool is_session_version(std::string_view version) {
  return std::find(session_versions.begin(), session_versions.end(), version) != session_versions.end();
}

bool is_modern_version(std::string_view version) { return is_date(version) && version >= newest_stateless_version; }

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

} // namespace troupe::protocol
