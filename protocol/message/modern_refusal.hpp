#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

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
