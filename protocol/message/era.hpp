#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Which era a server is spoken to in.
enum class server_era {
  /// Found out, or not known.
  automatic,
  /// That of sessions, which begin with `initialize`.
  session,
  /// 2026-07-28 and later.
  stateless
};

/// The newest revision with sessions: the answer to a client that asks for an unknown one.
inline constexpr std::string_view newest_session_version = "2025-11-25";
/// The newest revision without sessions, and the only one that is served.
inline constexpr std::string_view newest_stateless_version = "2026-07-28";
/// The one revision that has batches.
inline constexpr std::string_view batch_version = "2025-03-26";

/// A revision of the session era: those that begin with `initialize`.
bool is_session_version(std::string_view version);

/// A revision that works without sessions: 2026-07-28 and whatever comes later.
bool is_modern_version(std::string_view version);

/// Refuses requests of revisions without sessions where a session is needed: those with the `_meta` of 2026-07-28, and
/// those whose `MCP-Protocol-Version` is no session version. Clients that know both kinds then fall back to
/// `initialize`. `version` is the value of the header, empty when it is absent.
std::optional<rejection> refuse_era(std::string_view version, const post_body& body);

/// The same for a request without a body (2025-06-18 and later, transports, "Protocol Version Header").
std::optional<rejection> refuse_version(std::string_view version);

} // namespace troupe::protocol
