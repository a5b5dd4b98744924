// What a session does about who asks, and what he may use.

#include "actors/session/guarded_servers.hpp"
#include "actors/session/session.hpp"
#include "protocol/access/challenge.hpp"
#include "protocol/access/server_guard.hpp"

#include <utility>

namespace troupe::actors {

void session_state::change_members(std::vector<member> all) {
  if (!merged_)
    return;
  guarded_ = guarded_servers_of(all);
  merged_->change(usable_members(all, caller_));
  members_ = guarded_.empty() ? std::vector<member>{} : std::move(all);
}

/// A token may have other scopes than the one before.
void session_state::asks(const protocol::caller& caller) {
  if ((guarded_.empty() && !merged_) || caller == caller_ || (caller && caller_ && *caller == *caller_))
    return;
  caller_ = caller;
  upstream_.asks(caller);
  if (guarded_.empty() || !merged_)
    return;
  merged_->asks(caller);
  merged_->change(usable_members(members_, caller_));
  hear_merged();
}

bool session_state::refuses(const broker_actor& broker, const std::optional<std::vector<std::string>>& lacked) {
  if (lacked)
    self_->send(broker, http_rejected{protocol::insufficient_scope(setup_->scopes, *lacked)});
  return lacked.has_value();
}

/// By the time that a request is carried out, or answered, the caller may have come with other credentials: what it may
/// name, and which of them is exchanged for its server's, is decided by those that it came with.
void session_state::sign(protocol::post_body& body, const protocol::caller& caller) const {
  if (!guarded_.empty() || setup_->callers->are_wanted())
    for (auto& one : body.messages)
      one.asker = caller;
}

bool session_state::refuses_for_scopes(const client_post& msg) {
  if (guarded_.empty())
    return false;
  auto lacked = protocol::scopes_lacked(msg.body, guarded_, protocol::principal_of(msg.caller));
  return refuses(msg.broker, lacked ? std::move(lacked) : server_scopes_lacked(msg.caller));
}

bool session_state::refuses_for_scopes(const client_listen& msg) {
  return refuses(msg.broker, server_scopes_lacked(msg.caller));
}

/// Those of the one server that the session is for.
std::optional<std::vector<std::string>> session_state::server_scopes_lacked(const protocol::caller& who) const {
  if (merged_ || guarded_.empty())
    return std::nullopt;
  auto may = guarded_.front().rules->to_server(protocol::principal_of(who));
  return may.is == protocol::permit::kind::lacks_scopes ? std::optional{std::move(may.scopes)} : std::nullopt;
}

/// Whose credentials have expired comes back with fresh ones, or not at all.
void session_state::send_expired_away(protocol::time_point until) {
  if (auto those = clients_.take_expired(until, machine_.resumes_calls()); !those.empty())
    apply(machine_.send_away(those, now()));
}

} // namespace troupe::actors
