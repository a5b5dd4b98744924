#pragma once

#include "protocol/message/message.hpp"
#include "protocol/modern_client/request_state.hpp"

#include <optional>
#include <string_view>

// Ids of the tasks that a server of 2026-07-28 runs (extension `io.modelcontextprotocol/tasks`). The server may take
// all of its callers for one, so the ids that clients get are sealed: each is of use to its caller alone.

namespace troupe::protocol {

/// Whether a server may take a method for one of tasks, however it is written.
bool may_be_of_tasks(std::string_view method);

/// The server's answer to a request of that method, with the ids in it sealed.
message with_sealed_task(message answer, std::string_view method, const state_seal& seal);

/// A request about a task with the id that the server knows; nothing when it is none that its caller was given.
std::optional<message> with_unsealed_task(message request, const state_seal& seal);

} // namespace troupe::protocol
