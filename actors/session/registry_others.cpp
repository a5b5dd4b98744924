// Who else has sessions: other nodes, or the other process of a handover.

#include "actors/session/registry.hpp"

#include <utility>

namespace troupe::actors {

void registry_state::join_cluster() {
  cluster_ = setup_.join_cluster(caf::actor_cast<registry_actor>(self_));
  self_->link_to(cluster_.router);
  self_->link_to(cluster_.cluster);
  if (cluster_.store)
    self_->link_to(cluster_.store);
  admission_.join_cluster(bool{cluster_.store});
}

/// Without them, nothing that this node says of other nodes would be true.
bool registry_state::is_of_cluster(const caf::actor_addr& who) const {
  return (cluster_.router && who == cluster_.router.address()) ||
         (cluster_.cluster && who == cluster_.cluster.address()) || (cluster_.store && who == cluster_.store.address());
}

/// Its end is not the registry's.
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

} // namespace troupe::actors
