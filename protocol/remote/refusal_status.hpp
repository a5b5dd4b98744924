#pragma once

namespace troupe::protocol {

// What an HTTP status says of a request of 2026-07-28 that a remote server refuses with it.

/// Whether an error may be the server's own word on the request: 400 and 404 are the statuses that the revision gives
/// to some of its errors (2026-07-28, transports, "Sending Messages to the Server"); some servers use 405 as well.
bool may_hold_error(int status);

/// Whether it can come of the request's being of 2026-07-28. Others are about credentials, load or what lies between us
/// and the server.
bool is_about_request(int status);

/// Whether servers of the session era refuse a request with it that comes without a session. A server of this revision
/// has them for requests as well, with an error of its own in the body.
bool may_lack_session(int status);

} // namespace troupe::protocol
