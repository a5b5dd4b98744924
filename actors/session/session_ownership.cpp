#include "actors/session/session_ownership.hpp"

#include <memory>
#include <utility>

namespace troupe::actors {

/// Whether the tenure has held without interruption since that term.
bool session_ownership::holds_tenure(std::uint64_t since) const {
  return !parts_.cluster.tenure || parts_.cluster.tenure->holds(since);
}

/// Makes a session keep its record in the store. The record is this node's while the tenure holds on from that term.
void session_ownership::keep(new_session& what, std::uint64_t since) const {
  what.kept = std::make_shared<session_persistence>();
  what.kept->store = parts_.cluster.store;
  what.kept->term = since;
  if (parts_.cluster.tenure)
    what.kept->holds_tenure = [tenure = parts_.cluster.tenure](auto term) { return tenure->keeps(term); };
}

/// Moves all sessions. A session that waits to be claimed moves once it is this node's again.
void session_ownership::move_sessions() {
  give_up_doubtful();
  for (auto& [id, one] : parts_.book.all())
    move(one);
}

void session_ownership::close_leases(const std::string& why) {
  for (auto& [id, one] : parts_.book.all())
    if (one.binding.via == protocol::transport::stateless)
      parts_.close(one, {.why = why});
}

void session_ownership::move(known_session& one) {
  if (one.binding.via == protocol::transport::stateless) {
    parts_.close(one, {});
  } else if (one.binding.can_move_listeners()) {
    parts_.self->send(one.session, session_departs{});
  }
}

/// Sessions wait for the tenure to hold again. If this node is cut off or stopping, they are given up.
void session_ownership::disown(const tenure_lost& what) {
  if (auto* one = parts_.book.find(what.session))
    parts_.self->send(one->session, session_disowned{});
  else if (what.session.empty() && (!cut_off_.empty() || parts_.admission.stopping().has_begun()))
    give_up_doubtful();
}

/// Gives up sessions that may be another node's; none while the tenure holds, as waiting sessions are claimed then.
void session_ownership::give_up_doubtful() {
  if (!parts_.cluster.tenure || parts_.cluster.tenure->holds())
    return;
  for (auto& [id, one] : parts_.book.all())
    if (may_be_lost(one))
      parts_.self->send(one.session, session_disowned{});
}

/// If the tenure has not run out, claims the session, which waits for the claim: the store has given it to another node
/// only if it has lost data, or if this node has handed the session over.
void session_ownership::end_taken(const session_taken& what) {
  auto* one = parts_.book.find(what.session);
  if (!one || (has_tenure(*one) && one->kept->is_doubted))
    return;
  if (may_be_lost(*one))
    return parts_.self->send(one->session, session_disowned{});
  if (one->kept->is_handed_over)
    return;
  one->kept->is_doubted = true;
  parts_.self->send(one->session, tenure_regained{{.term = term(), .is_held = true}});
}

void session_ownership::change_contact(const node_cut_off& what) {
  if (!what.is_so) {
    cut_off_.erase(what.from);
    return;
  }
  cut_off_.insert(what.from);
  give_up_doubtful();
}

/// Also claims sessions that are this node's for a while without a claim: nobody claims them later.
void session_ownership::claim(const tenure_regained& what) {
  for (auto& [id, one] : parts_.book.all())
    if (what.how.is_held ? has_held_tenure(one) : has_tenure(one))
      parts_.self->send(one.session, what);
}

/// Whether the tenure has not run out since this node has owned the session.
bool session_ownership::has_held_tenure(const known_session& one) const {
  return has_tenure(one) && parts_.cluster.tenure->is_unbroken(one.kept->term);
}

void session_ownership::regain(session_regained& what) {
  auto* one = parts_.book.find(what.session);
  if (!one || !has_tenure(*one) || what.term < one->kept->term)
    return;
  one->kept->term = what.term;
  one->kept->is_doubted = false;
  parts_.self->send(one->session, std::move(what));
  if (parts_.admission.stopping().moves())
    move(*one);
}

void session_ownership::pass_on(session_gone& what) {
  if (auto* one = parts_.book.find(what.session))
    parts_.self->send(one->session, std::move(what));
}

} // namespace troupe::actors
