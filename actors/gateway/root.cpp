#include "actors/gateway/root.hpp"

namespace troupe::actors {

root_actor::behavior_type root_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->link_to(registry_);
  return {
      [this](drain& msg) { self_->send(registry_, msg); },
  };
}

/// A gateway that drained has done what it was to do: that is no reason for a host to end.
void root_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source != registry_.address())
    self_->send(registry_, drain{.at_once = true});
  else if (msg.reason == caf::exit_reason::user_shutdown)
    self_->quit();
  else
    self_->quit(msg.reason);
}

} // namespace troupe::actors
