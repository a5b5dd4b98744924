// A session that another node may own.

#include "actors/session/session.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

/// Its record is as it is now: one that waits to be written is older. Of a session that never had one no other node
/// knows.
void session_state::claim(const tenure_regained& how) {
  if (!kept_ || is_ours())
    return;
  auto is_record = [](auto& one) { return std::holds_alternative<protocol::remember>(one); };
  auto record = machine_.write_again(now());
  auto found = std::ranges::find_if(record, is_record);
  if (found == record.end())
    return self_->send(owner_, session_regained{here_.id, how.how.term});
  held_.drop_record();
  self_->send(kept_->store, session_claimed{here_.id, std::move(std::get<protocol::remember>(*found).record), how.how});
}

/// Other nodes may ask the store who has it now.
bool session_state::turns_away(const broker_actor& broker) {
  if (is_ours())
    return false;
  self_->send(broker, http_rejected{protocol::owner_unknown()});
  return true;
}

/// Whoever owns the session now speaks for it. Clients are told to come again, and to the server nothing is said.
void session_state::step_down(std::string_view why) {
  note(log_level::warning, "session is given up", std::string{why});
  if (kept_)
    self_->send(kept_->store, session_given_up{here_.id});
  for (auto& one : clients_.all())
    if (!one.streams)
      self_->send(one.broker, http_rejected{protocol::session_moves()});
  for (auto& one : clients_.all())
    if (one.streams)
      self_->send(one.broker, sse_end{});
  leave();
}

void session_state::depart() {
  if (!is_ours())
    return;
  if (!machine_.departs())
    send_listeners_away();
  apply(machine_.depart("it moves to another node", now()));
}

/// Its clients do not hear what becomes of calls that are under way.
void session_state::leave() {
  operations_.end_all({protocol::call_outcome::kind::cancelled});
  followers_.end();
  servers_.drop();
  self_->quit(caf::exit_reason::user_shutdown);
}

} // namespace troupe::actors
