#pragma once

#include "protocol/rejection.hpp"

#include <optional>
#include <string>

namespace troupe::protocol {

/// What a gateway knows of itself and of a path when a session is to begin there, or to begin again after its node is
/// gone.
struct admission {
  /// The path leads to a server, or to all that are merged.
  bool has_server = true;
  /// Each server that the path leads to is restored after its node is gone. One of several that cannot begin again
  /// would leave a session in pieces.
  bool is_restored = false;
  /// There is something outside of this node that keeps records, and what it keeps is surely ours.
  bool can_keep = false;
  /// The gateway stops: nothing new begins.
  bool is_stopping = false;
  /// There are as many sessions as there may be.
  bool is_full = false;
};

/// Why no session begins; nothing when one may. `request` is the id of what asks for it, as a JSON token.
std::optional<rejection> refuse_session(const admission& at, std::string request = {});

/// Why a session that was kept does not begin again here; nothing when it may. What can never be restored is gone. What
/// only cannot be now, another node may have, or this one later.
std::optional<rejection> refuse_restored(const admission& at);

/// Whether a session is kept so that it survives its node. One of HTTP+SSE lives with its connection.
bool is_kept(const admission& at, bool is_streamable_http);

} // namespace troupe::protocol
