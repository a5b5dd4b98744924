#pragma once

#include "protocol/remote/remote_effects.hpp"
#include "protocol/text/words.hpp"

#include <string>
#include <string_view>

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

/// Writes the HTTP requests to one remote server and numbers them.
class remote_caller {
public:
  explicit remote_caller(http_fields configured);

  http_call_id post(const std::string& url, message what, http_fields of_protocol, std::chrono::milliseconds patience,
                    call_turn turn, remote_effects& out);
  /// To listen, or for the answer to the request of `asker`.
  http_call_id get(const std::string& url, http_fields of_protocol, std::chrono::milliseconds patience, call_turn turn,
                   std::shared_ptr<const principal> asker, remote_effects& out);
  /// What is configured and what the protocol adds.
  http_fields fields(http_fields of_protocol) const;

private:
  http_fields configured_;
  http_call_id last_ = 0;
};

/// The first value of a field, empty when there is none.
std::string_view field_value(const http_fields& fields, std::string_view name);

/// Why an answer with that status is no success, as the user may read it; empty for 2xx. `url` is where it came from.
std::string refusal_text(int status, const http_fields& fields, const std::string& url);

/// Tells the operator when an answer refuses the credentials that are configured, or leads elsewhere.
void note_refusal(int status, const http_fields& fields, remote_effects& out);

/// Longest body of an error answer that is read.
inline constexpr std::size_t longest_refusal = 64 * 1024;

/// What the JSON-RPC error in the body of such an answer says, to follow `refusal_text`; empty when it is none.
std::string words_of(std::string_view refusal);

} // namespace troupe::protocol
