#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace troupe::protocol {

// Cursors of a server of 2026-07-28, as clients of the session era get them. There an empty one is a cursor, but for
// these clients it ends the list, so that it gets a mark in front. One that begins with the mark gets a second: a
// cursor with the mark is always one of these, and comes back to the server as the server gave it.

/// The result of a request for a list, an object, for a client of the session era.
std::string with_session_cursor(std::string_view result);

/// What a client of the session era has sent, for the server: a request for a list with the server's own cursor, or
/// anything else unchanged.
message with_server_cursor(message from);

/// What tools give as structured content, for clients of the session era. In 2026-07-28 it may be any JSON value; until
/// 2025-11-25 it is an object (2025-11-25, tools, "Output Schema"). Any other is put into an object, as its member
/// `result`, and so is the schema that describes it. As the official SDKs do it.
class output_schemas {
public:
  /// The result of `tools/list` with schemas of objects only. Remembers for which tools that made a difference, until a
  /// list says otherwise. A schema that is too large or too deep to be rewritten is left out.
  std::string session_list(std::string_view result);
  /// The result of a call of that tool. Without any content the value is also there as text, which older clients read.
  std::string session_result(std::string_view result, const std::string& tool) const;

private:
  std::optional<std::string> session_tool(std::string_view tool);
  void remember(std::string name);
  void forget(const std::string& name);

  std::set<std::string> wrapped_;
  std::size_t name_bytes_ = 0;
};

// What a server of 2026-07-28 says, in the words of the session era.

/// A response with one member besides its id: `result` or `error`, a JSON value.
message response_with(std::string_view id, std::string_view member, std::string_view value);

/// A response with an error.
message error_response(std::string_view id, int code, std::string_view text);

/// The answer to a request that failed for a reason that whoever made it should know. For a call of a tool it is a
/// result with `isError`, which a model reads; for others it is an internal error.
message failed_request(const message& request, std::string_view why);

/// The object without what only 2026-07-28 has: `resultType`, `ttlMs`, `cacheScope`, and in `_meta` who the server is
/// and the id of a subscription. An empty `_meta` is left out. `keeps_hints`: how long and for whom it may be kept
/// stays.
std::string without_modern_words(std::string_view object, bool keeps_hints = false);

/// A notification of the server whose params are those of the session era.
message session_notification(const message& from);

/// Whether the params of a notification have a `_meta` with what only 2026-07-28 has.
bool has_modern_meta(const message& notification);

/// Whether the error of a response, an object, is that the client is not capable of what the server needs.
bool is_lack(std::string_view error);

/// The error of a response, an object, as the answer to a request of that method, of whose text the URI of a resource
/// is read. A resource that is not there has the code of the session era, -32002. A client that is not capable of what
/// the server needs is told so in the result of a tool, and otherwise by -32603. A `wrong_refusal` of a
/// client that can this becomes -32603 (2026-07-28, "Error Codes").
message session_error(const message& request, std::string_view error, const client_profile& can);

} // namespace troupe::protocol
