#include "actors/upstream/stdio_upstream.hpp"

namespace troupe::actors {

stdio_upstream_state::stdio_upstream_state(pinned<interface>* self, const wire_maker& make, const bare_user& whom)
    : self_{self}, user_{whom.server, whom.user, whom.session, self->at().now()},
      wire_{
          [this, make, caller = whom.caller] { return make(self_->at(), {self_->address()}, user_.session(), caller); },
          whom.server, whom.known},
      reminder_{self->at()} {}

stdio_upstream_actor::behavior_type stdio_upstream_state::make_behavior() {
  user_.bind(self_);
  return {
      [this](to_server& msg) { tell(wire_.write(std::move(msg.message), self_->at().now(), std::move(msg.envelope))); },
      [this](child_wrote& msg) {
        for (auto& line : msg.lines)
          wire_->read(std::move(line), [this](protocol::message&& what) { hear(std::move(what)); });
      },
      [](user_left&) {}, // has one user, with whom it ends
      [this](report_request& msg) { report(msg.to); },
      [this](restart_request&) { user_.restart(self_); },
      [this](serve_user& msg) {
        user_.become(self_, msg);
        wire_->set_session(user_.session());
      },
      [this](child_skipped& msg) {
        if (auto told = wire_->judge(msg.line))
          hear(std::move(*told));
      },
      [this](child_complained& msg) { wire_->log_complaints(std::move(msg.lines)); },
      [this](child_lost& msg) {
        wire_->log_loss(msg.why);
        tell(wire_.lost(self_->at().now(), msg.is_shortage));
        if (!wire_.is_lost())
          return;
        user_.tell_loss(self_, msg.why, msg.is_shortage);
        self_->quit();
      },
      [this](tick&) {
        reminder_.arrived();
        tell(wire_.tick(self_->at().now()));
      },
  };
}

void stdio_upstream_state::hear(protocol::message&& what) {
  wire_.hear(std::move(what), self_->at().now(),
             [this](protocol::show_user&& shown) { user_.tell(self_, std::move(shown)); });
  reminder_.set(self_->address(), wire_.deadline());
}

void stdio_upstream_state::tell(std::vector<protocol::show_user> shown) {
  for (auto& one : shown)
    user_.tell(self_, std::move(one));
  reminder_.set(self_->address(), wire_.deadline());
}

void stdio_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.upstreams.push_back({wire_->server_name(), wire_->pid(), user_.age(self_), user_.session()});
  self_->send(to, std::move(result));
}

} // namespace troupe::actors
