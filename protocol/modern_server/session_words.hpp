#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

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
