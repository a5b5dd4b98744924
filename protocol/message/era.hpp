#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Era of the protocol that the gateway speaks to a server.
enum class server_era {
  /// Not configured or not known: the gateway detects the era.
  automatic,
  /// Era of sessions, which begin with `initialize`.
  session,
  /// 2026-07-28 and later.
  stateless
};

/// Newest revision with sessions: the answer to a client that requests an unknown one.
inline constexpr std::string_view newest_session_version = "2025-11-25";
/// Newest revision without sessions, and the only one that is served.
inline constexpr std::string_view newest_stateless_version = "2026-07-28";
/// Only revision that has batches.
inline constexpr std::string_view batch_version = "2025-03-26";

/// Whether a version is a revision of the session era, in which `initialize` begins a session.
bool is_session_version(std::string_view version);

/// Whether a version is a revision without sessions: 2026-07-28 or later.
bool is_modern_version(std::string_view version);

/// Refuses stateless requests where a session is needed: those with the `_meta` of 2026-07-28, and those whose
/// `MCP-Protocol-Version` is no session version. Clients that know both eras then fall back to `initialize`. `version`:
/// value of the header, empty if absent.
std::optional<rejection> refuse_era(std::string_view version, const post_body& body);

/// Like `refuse_era`, for a request without a body (2025-06-18 and later, transports, "Protocol Version Header").
std::optional<rejection> refuse_version(std::string_view version);

/// Returns an error text if a stateless (2026-07-28) server's error, an object, is about the gateway's part of a
/// request, which the client cannot change. Included are header fields, the version, and missing capabilities that the
/// client has or that the error does not name. Nullopt for all other errors (2026-07-28, "Error Codes").
std::optional<std::string> wrong_refusal(std::string_view error, const client_profile& can);

/// Whether an answer to `initialize` is an error that a stateless (2026-07-28) server may give, which has no such
/// method. Its subject is the version, the method, missing `_meta` or header fields, or the request as such. Servers of
/// the session era use some of these codes as well.
bool may_be_modern(const message& answer);

/// Whether an error with this HTTP status is given by stateless (2026-07-28) servers only (2026-07-28, transports,
/// "Backward Compatibility"). The error is about their versions, wrong header fields or required capabilities of the
/// client, or is the unknown method as the reason for 404.
bool is_surely_modern(const message& answer, int status);

/// Whether the error is about the version, and lists the versions that the server knows.
bool names_versions(const message& answer);

} // namespace troupe::protocol
