// What a session does about who asks, and what he may use.

#include "actors/session/session.hpp"

#include <utility>

namespace troupe::actors {

void session_state::asks(const protocol::caller& caller) {
  servers_.asks(caller);
  hear_servers();
}

bool session_state::refuses(const broker_actor& broker, std::optional<protocol::rejection> why) {
  if (!why)
    return false;
  self_->send(broker, http_rejected{std::move(*why)});
  return true;
}

/// By the time that a request is carried out, or answered, the caller may have come with other credentials: what it may
/// name, and which of them is exchanged for its server's, is decided by those that it came with.
void session_state::sign(protocol::post_body& body, const protocol::caller& caller) const {
  if (servers_.is_guarded() || setup_->callers->are_wanted())
    for (auto& one : body.messages)
      one.asker = caller;
}

/// Whose credentials have expired comes back with fresh ones, or not at all.
void session_state::send_expired_away(protocol::time_point until) {
  if (auto those = clients_.take_expired(until, machine_.resumes_calls()); !those.empty())
    apply(machine_.send_away(those, now()));
}

} // namespace troupe::actors
