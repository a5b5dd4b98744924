#include "actors/session/registry.hpp"

#include <utility>

namespace troupe::actors {

// Other owners of sessions: other nodes, or the other process of a handover.

void registry_state::join_cluster() {
  cluster_ = setup_.join_cluster(caf::actor_cast<registry_actor>(self_));
  self_->link_to(cluster_.router);
  self_->link_to(cluster_.cluster);
  if (cluster_.store)
    self_->link_to(cluster_.store);
  admission_.join_cluster(bool{cluster_.store});
}

/// True for the actors without which this node's view of other nodes would be wrong: the registry ends with them.
bool registry_state::is_of_cluster(const caf::actor_addr& who) const {
  return (cluster_.router && who == cluster_.router.address()) ||
         (cluster_.cluster && who == cluster_.cluster.address()) || (cluster_.store && who == cluster_.store.address());
}

/// Links to the other process; its end does not end the registry.
void registry_state::know(handover_peer_known& msg) {
  other_ = std::move(msg.who);
  has_handed_over_ = msg.has_taken_over;
  self_->link_to(other_);
  tell_use();
}

bool registry_state::lose_other(const caf::actor_addr& gone) {
  if (!other_ || gone != other_.address())
    return false;
  other_ = nullptr;
  tell_use();
  return true;
}

void registry_state::tell_use() {
  if (setup_.on_use)
    setup_.on_use(!is_unused(), other_ != nullptr);
}

// Ownership: which sessions are this node's according to the store, and which go to other nodes.

/// Whether the tenure has held without interruption since that term.
bool registry_state::holds_tenure(std::uint64_t since) const {
  return !cluster_.tenure || cluster_.tenure->holds(self_->at().now(), since);
}

/// Makes a session keep its record in the store. The record is this node's while the tenure holds on from that term.
void registry_state::keep(new_session& what, std::uint64_t since) const {
  what.kept = std::make_shared<kept_session>();
  what.kept->store = cluster_.store;
  what.kept->term = since;
  if (cluster_.tenure)
    what.kept->holds_tenure = [tenure = cluster_.tenure](auto now, auto term) { return tenure->holds(now, term); };
}

/// Moves all sessions. A session that waits to be claimed moves once it is this node's again.
void registry_state::move_sessions() {
  give_up_doubtful();
  for (auto& [id, one] : sessions_)
    move(one);
}

/// Leases do not move: they end when idle, and their keys get new leases elsewhere from now on.
void registry_state::move(known_session& one) {
  if (one.place.via == protocol::transport::stateless) {
    forget_key(one);
    self_->send(one.session, drain{});
  } else if (one.place.can_move_listeners()) {
    self_->send(one.session, session_departs{});
  }
}

/// `session_released` comes after all that was sent to the session before.
void registry_state::let_go(const session_let_go& what) {
  auto found = sessions_.find(what.session);
  if (found == sessions_.end())
    return;
  self_->send(found->second.session, session_released{});
  if (pace_)
    pace_->left(found->second.number);
  ids_[found->second.session.address()] = nullptr;
  forget(found);
}

/// Sessions wait for the tenure to hold again. If this node is cut off or stopping, they are given up.
void registry_state::disown(const tenure_lost& what) {
  if (auto found = sessions_.find(what.session); found != sessions_.end())
    self_->send(found->second.session, session_disowned{});
  else if (what.session.empty() && (!cut_off_.empty() || admission_.stopping().has_begun()))
    give_up_doubtful();
}

/// Gives up sessions that may be another node's; none while the tenure holds, as waiting sessions are claimed then.
void registry_state::give_up_doubtful() {
  if (!cluster_.tenure || cluster_.tenure->holds(self_->at().now()))
    return;
  for (auto& [id, one] : sessions_)
    if (may_be_lost(one))
      self_->send(one.session, session_disowned{});
}

/// Ignored while the session's tenure holds: the store gives such a session to no other node.
void registry_state::end_taken(const session_taken& what) {
  if (auto found = sessions_.find(what.session); found != sessions_.end() && may_be_lost(found->second))
    self_->send(found->second.session, session_disowned{});
}

void registry_state::change_contact(const node_cut_off& what) {
  if (!what.is_so) {
    cut_off_.erase(what.from);
    return;
  }
  cut_off_.insert(what.from);
  give_up_doubtful();
}

void registry_state::claim(const tenure_regained& what) {
  for (auto& [id, one] : sessions_)
    if (may_be_lost(one) && (!what.only_last_term || (has_tenure(one) && one.kept->term + 1 == what.how.term)))
      self_->send(one.session, what);
}

void registry_state::regain(session_regained& what) {
  auto found = sessions_.find(what.session);
  if (found == sessions_.end() || !has_tenure(found->second) || what.term < found->second.kept->term)
    return;
  found->second.kept->term = what.term;
  self_->send(found->second.session, std::move(what));
  if (admission_.stopping().moves())
    move(found->second);
}

/// False for sessions begun by a renewed tenure before this node knew that the previous tenure had run out.
bool registry_state::may_be_lost(const known_session& one) const {
  return !has_tenure(one) || !one.kept->is_ours(self_->at().now());
}

} // namespace troupe::actors
