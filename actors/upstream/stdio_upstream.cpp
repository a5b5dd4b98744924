#include "actors/upstream/stdio_upstream.hpp"

namespace troupe::actors {

stdio_upstream_state::stdio_upstream_state(pinned<interface>* self, net::io_thread& thread, server_actor server,
                                           downstream_actor user, std::string session,
                                           std::shared_ptr<const stdio_setup> setup)
    : self_{self}, thread_{thread}, user_{std::move(server), std::move(user), std::move(session), self->at().now()},
      setup_{std::move(setup)} {}

stdio_upstream_actor::behavior_type stdio_upstream_state::make_behavior() {
  start();
  user_.bind(self_);
  return {
      [this](to_server& msg) { write(msg); },
      [](user_left&) {}, // has one user, with whom it ends
      [this](report_request& msg) { report(msg.to); },
      [this](serve_user& msg) { user_.become(self_, msg); },
      [this](child_wrote& msg) {
        for (auto& line : msg.lines)
          take_line(std::move(line));
      },
      [this](child_complained& msg) {
        for (auto& line : msg.lines)
          log(log_level::info, "server stderr", {"line", std::move(line)});
      },
      [this](child_lost& msg) {
        lose(msg.why);
        self_->quit();
      },
  };
}

/// One that cannot be started is lost like any other, in the one place where that is told.
void stdio_upstream_state::start() {
  std::string why_not;
  child_ = net::child_process::start(thread_, setup_->command, setup_->limits, events(), why_not);
  if (child_)
    log(log_level::debug, "server started", {"pid", std::to_string(child_->pid())});
  else
    caf::anon_send(caf::actor_cast<caf::actor>(self_), child_lost{why_not});
}

net::child_events stdio_upstream_state::events() {
  auto tell = [self = self_->address()](auto fact) {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, std::move(fact));
  };
  return {
      [tell](std::vector<std::string> lines) { tell(child_wrote{std::move(lines)}); },
      [tell](std::vector<std::string> lines) { tell(child_complained{std::move(lines)}); },
      [tell](std::string why) { tell(child_lost{std::move(why)}); },
  };
}

/// Servers print banners on stdout although they must not: what is no message is logged and skipped.
void stdio_upstream_state::take_line(std::string line) {
  if (auto why = user_.tell_text(self_, std::move(line)))
    log(log_level::warning, "server wrote something that is no MCP message", {"why", std::move(*why)});
}

void stdio_upstream_state::write(to_server& msg) {
  auto asks = msg.message.kind == protocol::message_kind::request;
  if (!child_ || child_->write(std::move(msg.message.text)) || !asks)
    return;
  user_.tell(self_, protocol::own_message(protocol::error_text(msg.message.id, protocol::error_code::internal_error,
                                                               "The MCP server does not read what it is sent")));
}

void stdio_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.upstreams.push_back({setup_->server_name, child_ ? child_->pid() : 0, user_.age(self_), user_.session()});
  self_->send(to, std::move(result));
}

void stdio_upstream_state::lose(const std::string& why) {
  log(log_level::warning, "server lost", {"why", why});
  user_.tell_loss(self_, why);
}

void stdio_upstream_state::log(log_level level, std::string text, std::pair<std::string, std::string> fact) const {
  setup_->log(level, std::move(text), {{"server", setup_->server_name}, {"session", user_.session()}, std::move(fact)});
}

} // namespace troupe::actors
