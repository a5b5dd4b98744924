#include "actors/upstream/stdio_upstream.hpp"

namespace troupe::actors {

stdio_upstream_state::stdio_upstream_state(pinned<interface>* self, const wire_maker& make, const bare_user& whom)
    : self_{self}, user_{whom.server, whom.user, whom.session, self->at().now()}, wire_{make(
                                                                                      self->at(), {self->address()},
                                                                                      whom.session, whom.caller)} {}

stdio_upstream_actor::behavior_type stdio_upstream_state::make_behavior() {
  user_.bind(self_);
  return {
      [this](to_server& msg) { tell(wire_->write(std::move(msg.message))); },
      [this](child_wrote& msg) {
        for (auto& line : msg.lines)
          wire_->read(std::move(line), [this](protocol::message&& what) { user_.tell(self_, std::move(what)); });
      },
      [](user_left&) {}, // has one user, with whom it ends
      [this](report_request& msg) { report(msg.to); },
      [this](serve_user& msg) {
        user_.become(self_, msg);
        wire_->set_session(user_.session());
      },
      [this](child_skipped& msg) { tell(wire_->judge(msg.line)); },
      [this](child_complained& msg) { wire_->log_complaints(std::move(msg.lines)); },
      [this](child_lost& msg) {
        wire_->log_loss(msg.why);
        user_.tell_loss(self_, msg.why, msg.is_shortage);
        self_->quit();
      },
  };
}

void stdio_upstream_state::tell(std::optional<protocol::message>&& what) {
  if (what)
    user_.tell(self_, std::move(*what));
}

void stdio_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.upstreams.push_back({wire_->server_name(), wire_->pid(), user_.age(self_), user_.session()});
  self_->send(to, std::move(result));
}

} // namespace troupe::actors
