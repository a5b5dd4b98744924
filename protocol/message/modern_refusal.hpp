#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Says what a server of 2026-07-28 has refused when its error, an object, is about what the gateway told it of a
/// request, and nothing that the client could mend: header fields, the version, or the lack of capabilities that the
/// client has, or that the error does not name. Nothing for all other errors (2026-07-28, "Error Codes").
std::optional<std::string> wrong_refusal(std::string_view error, const client_profile& can);

/// Whether an answer to `initialize` is an error that a server of 2026-07-28 may give, which does not know it: about
/// the version, the method, the lack of `_meta` or of header fields, or the request as such. Servers of the session era
/// have some of these codes as well.
bool may_be_modern(const message& answer);

/// Whether an error that came with this HTTP status is one that only servers of 2026-07-28 give (2026-07-28,
/// transports, "Backward Compatibility"): their versions, what is wrong with header fields, what the client must be
/// able to do, or that the method is unknown as the reason for 404.
bool is_surely_modern(const message& answer, int status);

/// Whether the error is about the version, and says which ones the server knows.
bool names_versions(const message& answer);

} // namespace troupe::protocol
