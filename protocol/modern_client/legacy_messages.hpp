#pragma once

#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Requests of 2026-07-28 as a server of the session era reads them.

/// The request under an id of ours, which is its progress token too when it has one. Without the envelope in its
/// `_meta`, and without the params that only a request of 2026-07-28 has; all else byte for byte.
message legacy_request(message request, std::string_view id);

/// The request of a tool that only works as a task (2025-11-25, tasks).
message as_task(message tools_call);

/// Whether the session era has no such request, or 2026-07-28 has none any more: the server is not asked.
bool is_of_sessions(std::string_view method);

/// The params of a request, `{}` when it has none.
std::string_view params_of(const message& request);

/// Whether two params are of one call: what they say of the client and its answers does not count, nor does the order
/// of members.
bool are_same_call(std::string_view params, std::string_view others);

// Questions of a server for a client: requests in the session era, entries of `inputRequests` in 2026-07-28.

/// Whether the method is that of a question: `elicitation/create`, `sampling/createMessage` or `roots/list`.
bool is_question(std::string_view method);

/// What is wrong with a question that no client could read; empty when nothing is. Only elicitation is looked at, whose
/// mode decides what else it must have (2025-11-25, elicitation, "Elicitation Requests").
std::string fault_in_question(const message& question);

/// Answers a request of the server with an error.
void refuse_question(std::string_view id, int code, std::string_view why, stateless_effects& out);

/// The question as an entry of `inputRequests`, without what only the session era has.
std::string input_request(std::string_view method, std::string_view params);

/// The code by which a server reads that its client cannot be asked that.
int code_of_lack(std::string_view method);

/// Whether an entry of `inputResponses` is an answer to a question of that method.
bool is_input_response(std::string_view method, std::string_view value);
/// Whether an answer to `elicitation/create` accepts.
bool accepts(std::string_view response);

/// The answer to the server for a question that the client never answered. `id` is the question's.
std::string given_up_answer(std::string_view id, std::string_view method);

/// The params of the elicitations that an error says are required, in URL mode; nothing when it does not say so, or
/// not as it should (2025-11-25, elicitation, "URL Elicitation Required Error").
std::vector<std::string> required_elicitations(const message& answer);

} // namespace troupe::protocol
