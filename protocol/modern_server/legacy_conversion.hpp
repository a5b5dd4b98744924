#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace troupe::protocol {

// Cursors of a stateless (2026-07-28) server for session-era clients. An empty cursor is valid in 2026-07-28, but ends
// the list for these clients, so it gets a mark in front. A cursor that begins with the mark gets a second one. A
// marked cursor is therefore always ours, and goes back to the server without the mark.

/// Returns the result of a list request, an object, for a session-era client.
std::string with_session_cursor(std::string_view result);

/// Restores the server's own cursor in a session-era client's list request; returns other messages unchanged.
message with_server_cursor(message from);

/// Converts the structured content of tools for session-era clients. In 2026-07-28 it may be any JSON value; until
/// 2025-11-25 it is an object (2025-11-25, tools, "Output Schema"). Any other value is wrapped in an object, as its
/// member `result`, and so is its schema. The official SDKs do the same.
class output_schemas {
public:
  /// Returns the result of `tools/list` with object schemas only. Remembers the tools whose schema was wrapped, until a
  /// list says otherwise. Removes a schema that is too large or too deep to rewrite.
  std::string session_list(std::string_view result);
  /// Returns the result of calling a tool. If it has no content, the value is added as text, for older clients.
  std::string session_result(std::string_view result, const std::string& tool) const;

private:
  std::optional<std::string> session_tool(std::string_view tool);
  void remember(std::string name);
  void forget(const std::string& name);

  std::set<std::string> wrapped_;
  std::size_t name_bytes_ = 0;
};

// Messages of a stateless (2026-07-28) server in session-era words.

/// Returns a response with one member besides its id: `result` or `error`, a JSON value.
message response_with(std::string_view id, std::string_view member, std::string_view value);

/// Returns a response with an error.
message error_response(std::string_view id, int code, std::string_view text);

/// Returns the answer to a request that failed for a reason that its caller should know. For a tool call, a result with
/// `isError`, which a model reads; otherwise an internal error.
message failed_request(const message& request, std::string_view why);

/// Returns the object without members that only 2026-07-28 has: `resultType`, `ttlMs`, `cacheScope`, and in `_meta` the
/// server info and subscription id. Drops an empty `_meta`. `keeps_hints` keeps the caching hints `ttlMs` and
/// `cacheScope`.
std::string without_modern_members(std::string_view object, bool keeps_hints = false);

/// Returns a notification of the server with session-era params.
message session_notification(const message& from);

/// True if the `_meta` of a notification has members that only 2026-07-28 has.
bool has_modern_meta(const message& notification);

/// True if the error of a response, an object, says that the client lacks a required capability.
bool is_lack(std::string_view error);

/// Converts the error of a response, an object, for a session-era client. A missing resource, recognised by the URI in
/// the request's text, gets the session-era code -32002. A lacking capability becomes a tool result for tools,
/// otherwise -32603. A `wrong_refusal`, given what the client `can` do, becomes -32603 (2026-07-28, "Error Codes").
message session_error(const message& request, std::string_view error, const client_profile& can);

} // namespace troupe::protocol
