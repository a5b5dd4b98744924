#include "actors/upstream/supervised_upstream.hpp"

#include "protocol/time.hpp"

namespace troupe::actors {

namespace {

using phase = protocol::server_status::phase;

const char* phase_name(phase is) {
  switch (is) {
  case phase::starting:
    return "starting";
  case phase::ready:
    return "ready";
  case phase::waiting:
    return "waiting";
  case phase::resting:
    return "resting";
  default:
    return "idle";
  }
}

} // namespace

supervised_upstream_state::supervised_upstream_state(pinned<interface>* self, supervised what, downstream_actor user,
                                                     std::string session)
    : self_{self}, what_{std::move(what)}, user_{std::move(user)}, session_{session}, machine_{what_.rules, what_.seed},
      reminder_{self->at()}, upstream_{what_.server, upstream_request::use::bare, std::move(session), what_.caller} {}

supervised_upstream_actor::behavior_type supervised_upstream_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { quit_or_forget(msg.source); });
  self_->set_down_handler([this](caf::down_msg& msg) { on_down_of(msg.source); });
  if (user_)
    self_->link_to(user_);
  if (what_.warm)
    carry_out(machine_.warm_up(now()));
  remind();
  return {
      [this](to_server& msg) {
        carry_out(machine_.user_sent(user_of(self_->current_sender()), std::move(msg.message), now()));
      },
      [this](child_wrote& msg) { handle(msg); },
      [this](from_server& msg) { handle(msg); },
      [this](user_disconnected&) { forget(caf::actor_cast<caf::actor_addr>(self_->current_sender())); },
      [this](report_request& msg) { report(msg.to); },
      [this](restart_request&) {
        if (user_ || self_->current_sender() == what_.server)
          carry_out(machine_.restart(now()));
      },
      [this](upstream_granted& msg) {
        if (!msg.upstream)
          return start_wire(msg);
        if (upstream_.given(self_, msg))
          begin_run();
      },
      [this](server_lost& msg) {
        const auto from = caf::actor_cast<caf::actor_addr>(self_->current_sender());
        if (!upstream_.comes_from(from))
          return;
        if (from == what_.server.address())
          run_.reset(); // refused: no run has failed
        ended_ = msg.run;
        drop_server();
        carry_out(machine_.server_lost(msg.why, now(), msg.is_shortage, msg.is_expired));
      },
      [this](child_skipped& msg) {
        if (auto told = is_current(msg.child) ? (*wire_)->handle_skipped(msg.line) : std::nullopt)
          receive_from_wire(std::move(*told));
      },
      [this](child_wrote_stderr& msg) {
        if (is_current(msg.child))
          (*wire_)->log_stderr(std::move(msg.lines));
      },
      [this](child_lost& msg) {
        if (is_current(msg.child))
          handle(msg);
      },
      [this](server_retired&) {
        retired_ = true;
        quit_if_unused();
      },
      [this](tick&) {
        reminder_.arrived();
        tell_unused();
        if (wire_)
          receive_all(wire_->tick(now()));
        carry_out(machine_.tick(now()));
      },
  };
}

/// Users are identified by address and monitored, since they may end without a message.
protocol::user_id supervised_upstream_state::user_of(const caf::strong_actor_ptr& sender) {
  auto [known, is_new] = ids_.try_emplace(caf::actor_cast<caf::actor_addr>(sender), last_user_ + 1);
  if (is_new) {
    auto user = caf::actor_cast<downstream_actor>(sender);
    self_->monitor(user);
    users_.emplace(++last_user_, std::move(user));
  }
  return known->second;
}

void supervised_upstream_state::on_down_of(const caf::actor_addr& who) {
  if (upstream_.leads_to(who)) {
    drop_server();
    return carry_out(machine_.server_lost("the MCP server is gone", now()));
  }
  if (who == what_.server.address()) {
    retired_ = true;
    return quit_if_unused();
  }
  forget(who);
}

void supervised_upstream_state::forget(const caf::actor_addr& user) {
  auto node = ids_.extract(user);
  if (node.empty())
    return;
  self_->demonitor(user);
  users_.erase(node.mapped());
  carry_out(machine_.user_disconnected(node.mapped(), now()));
}

/// The exit of a dropped process may still arrive; it has no effect. A user that owned the upstream before it was
/// shared sends an exit instead of `user_disconnected`.
void supervised_upstream_state::quit_or_forget(const caf::actor_addr& by) {
  if ((user_ && by == user_.address()) || by == what_.server.address() || by == self_->address())
    self_->quit(caf::exit_reason::user_shutdown);
  else
    forget(by);
}

void supervised_upstream_state::quit_if_unused() {
  if (retired_ && users_.empty())
    self_->quit(caf::exit_reason::user_shutdown);
}

void supervised_upstream_state::tell_unused() {
  if (now() < unused_at_)
    return;
  unused_at_ = now() + what_.unused_time;
  self_->send(what_.server, upstream_unused{what_.owner});
}

void supervised_upstream_state::remind() {
  if (user_ || what_.unused_time.count() == 0 || !users_.empty())
    unused_at_ = protocol::time_point::max();
  else if (unused_at_ == protocol::time_point::max())
    unused_at_ = now() + what_.unused_time;
  auto of_wire = wire_ ? wire_->deadline() : protocol::time_point::max();
  reminder_.set(self_->address(), std::min({machine_.deadline(), unused_at_, of_wire}));
}

/// A shared upstream reports to its SERVER only; other senders get an empty report.
void supervised_upstream_state::report(const collector_actor& to) {
  if (!user_ && self_->current_sender() != what_.server)
    return self_->send(to, counted{});
  auto& status = machine_.status();
  counted result{{.actors = 1}};
  result.part.servers.push_back({what_.name, session_, phase_name(status.is), status.restarts,
                                 what_.failures->masked(status.why), machine_.users()});
  if (wire_)
    result.part.upstreams.push_back({what_.name, (*wire_)->pid(), run_->age(self_), session_, machine_.users()});
  result.asked = upstream_.count_own();
  self_->send(to, std::move(result));
  upstream_.report(self_, to);
}

// -- a child process of its own ---------------------------------------------------------

/// Starts the child. A grant that comes too late is returned.
void supervised_upstream_state::start_wire(const upstream_granted& granted) {
  auto waiting = upstream_.granted(granted);
  if (!waiting)
    return self_->send(what_.server, upstream_start_abandoned{});
  begin_run();
  auto start = [this] { return what_.make_wire(self_->at(), {self_->address(), ++children_}, session_, what_.caller); };
  wire_ = std::make_unique<adapted_wire>(start, what_.server, granted.known);
  for (auto& one : *waiting)
    write(std::move(one.message), std::move(one.envelope));
  tell_refused();
  remind();
}

void supervised_upstream_state::receive(protocol::deliver_to_user&& shown) {
  carry_out(machine_.server_sent(std::move(shown.what), now(), shown.concerns));
}

void supervised_upstream_state::receive_from_wire(protocol::message&& what) {
  run_->spoke(self_);
  wire_->receive(std::move(what), now(), [this, child = children_](protocol::deliver_to_user&& shown) {
    if (is_current(child))
      receive(std::move(shown));
  });
  if (wire_ && wire_->deadline() != protocol::time_point::max())
    remind();
}

void supervised_upstream_state::receive_all(std::vector<protocol::deliver_to_user> shown) {
  for (auto& one : shown)
    if (wire_)
      receive(std::move(one));
}

/// The effects of a message may stop the server that sent it.
void supervised_upstream_state::handle(from_server& msg) {
  const auto from = caf::actor_cast<caf::actor_addr>(self_->current_sender());
  receives_more_ = true;
  if (upstream_.leads_to(from)) {
    run_->spoke(self_);
    receive({std::move(msg.message), std::move(msg.concerns)});
  }
  for (auto& what : msg.more)
    if (upstream_.leads_to(from))
      receive({std::move(what)});
  receives_more_ = false;
  to_user_.send(self_);
}

/// The effects of a line may stop the child that wrote it.
void supervised_upstream_state::handle(child_wrote& msg) {
  receives_more_ = true;
  for (auto& line : msg.lines)
    if (is_current(msg.child))
      (*wire_)->read(std::move(line), [&](protocol::message&& what) {
        if (is_current(msg.child))
          receive_from_wire(std::move(what));
      });
  receives_more_ = false;
  to_user_.send(self_);
}

void supervised_upstream_state::handle(child_lost& msg) {
  (*wire_)->log_left_out();
  receive_all(wire_->lost(now(), msg.is_shortage));
  if (wire_ && !wire_->is_lost())
    begin_run(); // another child, in the other era
  if (!wire_ || !wire_->is_lost())
    return remind();
  ended_ = run_->ended(self_, (*wire_)->pid());
  drop_server();
  carry_out(machine_.server_lost(msg.why, now(), msg.is_shortage));
}

void supervised_upstream_state::write(protocol::message&& what, protocol::envelope_of_user envelope) {
  for (auto& shown : wire_->write(std::move(what), now(), std::move(envelope)))
    refused_.push_back(std::move(shown));
}

/// Called when all effects of a fact are carried out: each refused message is a further fact.
void supervised_upstream_state::tell_refused() {
  for (auto& shown : std::exchange(refused_, {}))
    receive(std::move(shown));
}

void supervised_upstream_state::begin_run() {
  run_.emplace(what_.server, now());
  ended_.reset();
  pid_ = 0;
}

void supervised_upstream_state::drop_server() {
  if (wire_)
    pid_ = (*wire_)->pid();
  wire_.reset();
  upstream_.drop(self_);
}

// -- effects -----------------------------------------------------------------------------

void supervised_upstream_state::carry_out(protocol::server_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  if (!receives_more_)
    to_user_.send(self_);
  remind();
  quit_if_unused();
  tell_refused();
}

/// The actor of the host may fail before the SERVER has granted it.
void supervised_upstream_state::perform(protocol::start_server&) {
  report_new_failure(); // of the run before
  begin_run();
  upstream_.want(self_);
}

void supervised_upstream_state::perform(protocol::send_to_server& effect) {
  if (wire_)
    write(std::move(effect.what), std::move(effect.envelope));
  else
    upstream_.send(self_, std::move(effect.what), std::move(effect.envelope));
}

void supervised_upstream_state::perform(protocol::send_to_user& effect) {
  if (auto found = users_.find(effect.user); found != users_.end())
    to_user_.add(self_, found->second, std::move(effect.what));
}

void supervised_upstream_state::perform(protocol::end_user& effect) {
  auto node = users_.extract(effect.user);
  if (node.empty())
    return;
  ids_.erase(node.mapped().address());
  self_->demonitor(node.mapped().address());
  to_user_.send(self_);
  self_->send(node.mapped(), server_lost{what_.failures->masked(std::move(effect.why))});
}

/// If shared, users come and go from now on; ends with the SERVER, or once it is retired and has no users.
void supervised_upstream_state::perform(const protocol::note_sharing& effect) {
  self_->send(what_.server, upstream_initialized{effect.is_shared});
  if (!effect.is_shared)
    return;
  self_->unlink_from(std::exchange(user_, {}));
  self_->monitor(what_.server);
  session_.clear();
  what_.caller = nullptr;
  upstream_.asks(nullptr);
  if (wire_)
    (*wire_)->set_session({});
}

void supervised_upstream_state::perform(protocol::show_status& effect) {
  auto& status = effect.status;
  report_new_failure();
  if (status.restarts != restarts_)
    self_->at().count(protocol::metric::server_restarts, {what_.name});
  restarts_ = status.restarts;
  if (what_.is_watched)
    self_->send(what_.server, upstream_status{status});
  std::vector<std::pair<std::string, std::string>> facts{{"server", what_.name}};
  if (!session_.empty())
    facts.emplace_back("session", session_);
  if (status.pause.count() != 0)
    facts.emplace_back("next_try_in", protocol::seconds_text(status.pause));
  if (status.is == phase::waiting || status.is == phase::resting)
    facts.emplace_back("why", what_.failures->masked(status.why));
  const auto is_back = status.is == phase::ready && std::exchange(has_failed_, false);
  what_.log(is_back ? log_level::info : log_level::debug, std::string{"server is "} + phase_name(status.is),
            std::move(facts));
}

/// A run that the machine ended, because of what the server said or did not say, is no failed start.
void supervised_upstream_state::report_new_failure() {
  if (std::exchange(failures_, machine_.failures()) == machine_.failures() || !run_)
    return;
  const auto& status = machine_.status();
  const auto run = ended_ ? *ended_ : run_->ended(self_, pid_);
  const auto is_shortage = machine_.lacked_resources();
  what_.failures->failed({.why = status.why,
                          .run = run,
                          .is_shortage = is_shortage,
                          .session = session_,
                          .next_try = status.is == phase::idle ? std::nullopt : std::optional{status.pause},
                          .is_resting = status.is == phase::resting},
                         now());
  if (is_shortage || (ended_ && !ended_->has_spoken))
    self_->send(what_.server,
                upstream_start_failed{status.why, run.age, is_shortage, user_ ? user_.address() : caf::actor_addr{}});
  has_failed_ = true;
  run_.reset();
}

void supervised_upstream_state::perform(protocol::log_note& line) {
  line.facts.emplace_back("server", what_.name);
  if (!session_.empty())
    line.facts.emplace_back("session", session_);
  actors::write(what_.log, line);
}

} // namespace troupe::actors
