#pragma once

#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Stateless (2026-07-28) requests as a session-era server reads them.

/// Returns the request under our id, which also replaces its progress token, if any. Removes the envelope in `_meta`
/// and the params that only 2026-07-28 has; the rest stays byte for byte.
message legacy_request(message request, std::string_view id);

/// Returns the call of a tool that only works as a task (2025-11-25, tasks).
message as_task(message tools_call);

/// True for methods that a session-era server is not sent: `tasks/*`, and those that 2026-07-28 removed.
bool is_of_sessions(std::string_view method);

/// Returns the params of a request; `{}` if it has none.
std::string_view params_of(const message& request);

/// True if two params are of the same call. Ignores the client's description and answers, and the order of members.
bool are_same_call(std::string_view params, std::string_view others);

// Questions: a server's requests to its client in the session era, entries of `inputRequests` in 2026-07-28.

/// True for `elicitation/create`, `sampling/createMessage` and `roots/list`.
bool is_question(std::string_view method);

/// Returns why no client could read a question; empty if it is valid. Checks only elicitation, whose mode decides which
/// members are required (2025-11-25, elicitation, "Elicitation Requests").
std::string fault_in_question(const message& question);

/// Answers a request of the server with an error.
void reject_server_request(std::string_view id, int code, std::string_view why, stateless_effects& out);

/// Returns the question as an entry of `inputRequests`, without members that only the session era has.
std::string input_request(std::string_view method, std::string_view params);

/// Returns the error code that tells the server that its client does not support the question.
int code_of_lack(std::string_view method);

/// True if an entry of `inputResponses` answers a question of that method.
bool is_input_response(std::string_view method, std::string_view value);
/// True if an answer to `elicitation/create` accepts.
bool accepts(std::string_view response);

/// Returns the answer to a question, with its `id`, that the client never answered.
std::string given_up_answer(std::string_view id, std::string_view method);

/// Returns the params of the URL-mode elicitations that an error requires; empty if the error requires none or is
/// malformed (2025-11-25, elicitation, "URL Elicitation Required Error").
std::vector<std::string> required_elicitations(const message& answer);

} // namespace troupe::protocol
