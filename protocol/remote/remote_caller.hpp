#pragma once

#include "protocol/remote/remote_effects.hpp"
#include "protocol/text/words.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

// Meaning of the HTTP status with which a remote server refuses a request of 2026-07-28.

/// Whether the body may hold the server's own error. The revision gives 400 and 404 to some errors (2026-07-28,
/// transports, "Sending Messages to the Server"); some servers use 405 as well.
bool may_hold_error(int status);

/// Whether the refusal may be due to the request's revision. Other statuses concern credentials, load or
/// intermediaries.
bool is_about_request(int status);

/// Whether servers with sessions refuse a request without a session this way. Stateless (2026-07-28) servers use these
/// statuses as well, with an error of their own in the body.
bool may_lack_session(int status);

/// Writes the HTTP requests to one remote server and numbers them.
class remote_caller {
public:
  explicit remote_caller(http_fields configured);

  http_call_id post(const std::string& url, message what, http_fields of_protocol, std::chrono::milliseconds patience,
                    call_priority turn, remote_effects& out);
  /// GET that listens, or that resumes the answer to a request of `requester`.
  http_call_id get(const std::string& url, http_fields of_protocol, std::chrono::milliseconds patience,
                   call_priority turn, std::shared_ptr<const principal> requester, remote_effects& out);
  /// Returns the configured fields and the protocol's own.
  http_fields fields(http_fields of_protocol) const;

private:
  http_fields configured_;
  http_call_id last_ = 0;
};

/// First value of a field; empty when there is none.
std::string_view field_value(const http_fields& fields, std::string_view name);

/// Error text for users when the status is no success; empty for 2xx. `url` is the URL of the request.
std::string refusal_text(int status, const http_fields& fields, const std::string& url);

/// Logs that an answer refuses the configured credentials, or redirects.
void note_refusal(int status, const http_fields& fields, remote_effects& out);

/// Longest body of an error answer that is read, in bytes.
inline constexpr std::size_t longest_refusal = 64 * 1024;

/// Message of the JSON-RPC error in such a body, to append to `refusal_text`; empty when there is none.
std::string words_of(std::string_view refusal);

} // namespace troupe::protocol
