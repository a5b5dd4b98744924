#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The newest revision with sessions: what a client gets that asks for one that we do not know.
inline constexpr std::string_view newest_session_version = "2025-11-25";
/// The one revision that has batches.
inline constexpr std::string_view batch_version = "2025-03-26";

/// A revision of the session era: those that begin with `initialize`.
bool is_session_version(std::string_view version);

/// A revision that works without sessions: 2026-07-28 and whatever comes later.
bool is_modern_version(std::string_view version);

/// Refuses what belongs to an era that is not served: a request with the envelope of revision 2026-07-28, and any
/// `MCP-Protocol-Version` that is no session version. Clients of both eras then fall back to `initialize`.
/// `version` is the header's value, empty when it is absent.
std::optional<rejection> refuse_era(std::string_view version, const post_body& body);

/// The same for a request without a body (2025-06-18 and later, transports, "Protocol Version Header").
std::optional<rejection> refuse_version(std::string_view version);

} // namespace troupe::protocol
