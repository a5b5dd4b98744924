#pragma once

#include "protocol/message/message.hpp"

namespace troupe::protocol {

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
