#include "actors/upstream/configured_server.hpp"

#include "actors/session_messages.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// A server that receives its callers' identities is started for its users only.
std::optional<protocol::essential_server> essential_of(const server_setup& setup) {
  using begun = protocol::essential_server::begun;
  if (!setup.essential)
    return std::nullopt;
  auto is_for_all = setup.sharing.shared || (setup.sharing.shares_modern && setup.sharing.is_modern);
  return protocol::essential_server{setup.sharing_key ? begun::by_users
                                    : is_for_all      ? begun::for_all
                                                      : begun::by_trial};
}

} // namespace

configured_server_state::configured_server_state(pinned<interface>* self, caf::actor_addr owner,
                                                 std::shared_ptr<const server_setup> setup)
    : self_{self}, owner_{std::move(owner)}, setup_{std::move(setup)}, machine_{setup_->sharing},
      essential_{essential_of(*setup_)}, reminder_{self->at()} {}

server_actor::behavior_type configured_server_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) {
    if (msg.source != searcher_)
      return;
    machine_.searcher_left();
    serve_waiting();
  });
  begin_tokens();
  if (setup_->check)
    check_ = setup_->check(setup_->failures->obstacle_writer());
  carry_out(machine_.begin(now()));
  if (essential_)
    carry_out(essential_->begin());
  return {
      [this](upstream_request& msg) { serve(msg); },
      [this](upstream_spoke&) {
        machine_.server_spoke();
        if (essential_)
          carry_out(essential_->spoke());
        serve_waiting();
      },
      [this](upstream_start_failed& msg) {
        note(msg);
        serve_waiting();
      },
      [this](upstream_start_abandoned&) {
        machine_.start_prevented();
        serve_waiting();
      },
      [this](server_era_detected& msg) { drop_shared({}, machine_.era_found(msg.is, now(), msg.is_doubtful)); },
      [this](upstream_initialized& msg) {
        note(msg);
        serve_waiting();
      },
      [this](upstream_status& msg) { note(msg); },
      [this](upstream_unused& msg) { drop_shared(msg.owner, machine_.shared_unused(msg.owner, now())); },
      [this](server_retired&) {
        carry_out(machine_.retire(now()));
        if (essential_)
          carry_out(essential_->retire());
        serve_waiting();
      },
      [this](report_request& msg) { report(msg.to); },
      [this](restart_request& msg) { restart(msg); },
      [this](tick&) {
        reminder_.arrived();
        carry_out(machine_.tick(now()));
        if (essential_)
          carry_out(essential_->tick(now()));
        serve_waiting();
      },
  };
}

void configured_server_state::begin_tokens() {
  if (!setup_->make_tokens)
    return;
  tokens_ = setup_->make_tokens(self_->at());
  self_->link_to(tokens_);
}

void configured_server_state::note(const upstream_start_failed& msg) {
  if (msg.is_shortage) {
    if (auto owner = caf::actor_cast<registry_actor>(owner_))
      self_->send(owner, shortage_found{msg.user});
    return machine_.start_prevented();
  }
  self_->at().count(protocol::metric::server_start_failures, {setup_->name});
  auto pause = machine_.start_failed(msg.why, msg.age, now());
  if (pause && now() >= refused_until_) {
    refused_until_ = now() + *pause;
    setup_->failures->refused(msg.why, *pause, now());
  }
  if (essential_)
    carry_out(essential_->start_failed(msg.why, pause, now()));
}

void configured_server_state::note(const upstream_initialized& msg) {
  auto sender = caf::actor_cast<supervised_upstream_actor>(self_->current_sender());
  if (machine_.greeted(msg.is_modern, now())) {
    self_->link_to(sender);
    shared_.insert_or_assign({}, std::move(sender));
  } else if (msg.is_modern) {
    self_->send(sender, server_retired{});
  }
}

/// Replaces a token source that has failed. Users of its tokens are lost with it; later users get the new source.
void configured_server_state::on_exit_of(const caf::exit_msg& msg) {
  if (tokens_ && msg.source == tokens_.address())
    return begin_tokens();
  auto in_pool = std::ranges::find_if(pool_, [&](auto& one) { return one.second.address() == msg.source; });
  if (in_pool != pool_.end()) {
    machine_.pooled_lost(in_pool->first, now());
    pool_.erase(in_pool);
    return remind();
  }
  if (trial_ && msg.source == trial_.address()) {
    trial_ = nullptr;
    essential_->trial_lost(now());
    return remind();
  }
  auto shared = std::ranges::find_if(shared_, [&](auto& one) { return one.second.address() == msg.source; });
  if (shared != shared_.end()) {
    machine_.shared_lost(shared->first);
    shared_.erase(shared);
    note_unwatched();
  }
  if (msg.source == owner_ || msg.source == self_->address())
    self_->quit(msg.reason);
}

void configured_server_state::report(const collector_actor& to) {
  counted result{{.actors = 1}};
  result.asked = pool_.size() + shared_.size() + (trial_ ? 1 : 0);
  if (shared_.empty() && !trial_)
    result.part.servers.push_back(
        {setup_->name, {}, machine_.rests(now()) ? "resting" : "idle", 0, machine_.why_not_started(), 0});
  self_->send(to, std::move(result));
  if (trial_)
    self_->send(trial_, report_request{to});
  for (auto& [owner, one] : shared_)
    self_->send(one, report_request{to});
  for (auto& [number, one] : pool_)
    self_->send(one, report_request{to});
}

/// Restarts all upstreams except those that users own: their users restart these.
void configured_server_state::restart(const restart_request& msg) {
  machine_.forget_failures();
  if (trial_)
    self_->send(trial_, msg);
  for (auto& [owner, one] : shared_)
    self_->send(one, msg);
  for (auto& [number, one] : pool_)
    self_->send(one, msg);
}

// -- upstreams for users -------------------------------------------------------------------

std::variant<std::string, protocol::unavailable_attribute>
configured_server_state::owner_of(const protocol::caller& who) const {
  return setup_->sharing_key ? setup_->sharing_key(who) : protocol::identity_of(who);
}

bare_upstream_setup configured_server_state::bare_for(const upstream_request& msg) {
  return {handle(),
          msg.user,
          msg.session,
          msg.caller,
          tokens_,
          machine_.known_era(now()),
          msg.what_for == upstream_request::use::bare,
          setup_->failures};
}

void configured_server_state::serve(const upstream_request& msg) {
  std::visit([&](auto&& choice) { give(msg, choice); }, choose_for(msg));
  remind();
}

void configured_server_state::serve_waiting() {
  if (!machine_.is_searching())
    for (auto& one : std::exchange(waiting_, {}))
      serve(one);
}

/// Callers that lack a required claim are refused here.
protocol::upstream_choice configured_server_state::choose_for(const upstream_request& msg) {
  auto owner = owner_of(msg.caller);
  if (auto* why = std::get_if<protocol::unavailable_attribute>(&owner))
    return protocol::refuse_user{std::move(why->why)};
  switch (msg.what_for) {
  case upstream_request::use::alone:
    return machine_.wanted_alone(msg.unit, std::get<std::string>(owner), now());
  case upstream_request::use::lasting:
    return machine_.wanted_lasting(std::get<std::string>(owner), now());
  default:
    return machine_.wanted_bare(msg.unit, now());
  }
}

void configured_server_state::give(const upstream_request& to, protocol::refuse_user& choice) {
  self_->send(to.user, server_lost{std::move(choice.why)});
}

void configured_server_state::give(const upstream_request& to, protocol::give_shared& choice) {
  give(to, choice.starts ? start_shared(choice.owner, to.caller) : shared_.at(choice.owner), false);
}

void configured_server_state::give(const upstream_request& to, protocol::give_supervised& choice) {
  supervised_upstream_actor made = self_->spawn<supervised_upstream>(
      std::ref(*setup_->units[to.unit]), to_supervise(true, choice.ends_user, to.caller), to.user, to.session);
  if (machine_.is_searching()) {
    searcher_ = made.address();
    self_->monitor(made);
  }
  give(to, made, true);
}

/// A supervised upstream of a server on stdio starts the process itself.
void configured_server_state::give(const upstream_request& to, protocol::give_bare&) {
  if (setup_->make_wire && to.what_for == upstream_request::use::bare)
    self_->send(to.user, upstream_granted{{}, to.ticket, true, machine_.known_era(now())});
  else
    give(to, setup_->spawn_bare(*setup_->units[to.unit], bare_for(to)), true);
}

void configured_server_state::give(const upstream_request& to, protocol::give_pooled& choice) {
  auto one = pool_.extract(choice.number).mapped();
  self_->unlink_from(one);
  self_->send(one, serve_user{to.user, to.session, to.what_for == upstream_request::use::bare});
  give(to, one, true);
}

template <class Upstream>
void configured_server_state::give(const upstream_request& to, const Upstream& upstream, bool own) {
  self_->send(to.user, upstream_granted{caf::actor_cast<upstream_actor>(upstream), to.ticket, own});
}

// -- effects -------------------------------------------------------------------------------

void configured_server_state::carry_out(protocol::configured_server_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  remind();
}

void configured_server_state::perform(protocol::start_pooled& effect) {
  auto made = setup_->spawn_bare(*setup_->units[effect.unit], bare_for({}));
  self_->link_to(made);
  pool_.emplace(effect.number, std::move(made));
}

void configured_server_state::perform(protocol::stop_pool&) {
  for (auto& [number, one] : std::exchange(pool_, {}))
    self_->send_exit(one, caf::exit_reason::user_shutdown);
}

/// Users with calls in flight may still need tokens: the token source ends with the last of these users.
void configured_server_state::perform(protocol::end_server&) {
  if (tokens_)
    self_->unlink_from(tokens_);
  self_->quit(caf::exit_reason::user_shutdown);
}

/// Starts the shared upstream of an owner, or of all users. Only an owner's gets the caller.
const supervised_upstream_actor& configured_server_state::start_shared(const std::string& owner,
                                                                       const protocol::caller& caller) {
  auto& at = *setup_->units[setup_->random() % setup_->units.size()];
  auto what =
      to_supervise(false, setup_->sharing.shares_modern ? setup_->ends_sharing_users : setup_->sharing.ends_users,
                   owner.empty() ? nullptr : caller);
  what.owner = owner;
  if (!owner.empty())
    what.unused_time = protocol::configured_server::unused_time;
  what.is_watched = owner.empty() && essential_ && essential_->runs_for_all();
  auto made = spawn_linked<supervised_upstream_state>(self_, at, std::move(what));
  return shared_.insert_or_assign(owner, std::move(made)).first->second;
}

/// Forgets a shared upstream, unless the machine keeps it. The upstream ends by itself once it has no users.
void configured_server_state::drop_shared(const std::string& owner, protocol::configured_server_effects effects) {
  const auto is_dropped = !effects.empty();
  carry_out(std::move(effects));
  if (!is_dropped)
    return;
  shared_.erase(owner);
  note_unwatched();
}

/// Returns the settings of an upstream for one user or for many.
supervised_upstream_state::supervised configured_server_state::to_supervise(bool dedicated, bool ends_users,
                                                                            const protocol::caller& caller) {
  auto rules = setup_->rules;
  rules.dedicated = dedicated;
  rules.ends_users = ends_users;
  rules.shares_modern = setup_->sharing.shares_modern;
  rules.ends_sharing_users = setup_->ends_sharing_users;
  return {.server = handle(),
          .name = setup_->name,
          .rules = std::move(rules),
          .seed = setup_->random(),
          .log = setup_->log,
          .make_wire = setup_->make_wire,
          .warm = !dedicated && stays(),
          .caller = caller,
          .unused_time = setup_->sharing.shares_modern && !stays() ? protocol::configured_server::unused_time
                                                                   : std::chrono::seconds::zero(),
          .failures = setup_->failures};
}

/// Whether the shared upstream also runs without users.
bool configured_server_state::stays() const {
  auto is_essential = essential_ && essential_->runs_for_all();
  return (setup_->eager || is_essential) && !setup_->sharing.by_owner;
}

void configured_server_state::remind() {
  auto of_essential = essential_ ? essential_->deadline() : protocol::time_point::max();
  reminder_.set(self_->address(), std::min(machine_.deadline(), of_essential));
}

// -- as an essential server ----------------------------------------------------------------

void configured_server_state::note(const upstream_status& msg) {
  auto is_trial = trial_ && self_->current_sender() == trial_;
  auto is_shared = std::ranges::any_of(shared_, [&](auto& one) { return self_->current_sender() == one.second; });
  if (essential_ && (is_trial || is_shared))
    carry_out(essential_->showed(msg.status, is_trial));
}

/// Reports that no upstream runs for all users any more.
void configured_server_state::note_unwatched() {
  if (essential_ && !shared_.contains({}))
    carry_out(essential_->ended());
}

void configured_server_state::carry_out(protocol::essential_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  remind();
}

/// Starts a trial upstream without users, for either era; it is restarted until the server has answered `initialize`.
void configured_server_state::perform(protocol::begin_trial&) {
  auto what = to_supervise(false, false, nullptr);
  what.rules.shares_modern = false;
  what.warm = true;
  what.unused_time = {};
  what.is_watched = true;
  auto& at = *setup_->units[setup_->random() % setup_->units.size()];
  trial_ = spawn_linked<supervised_upstream_state>(self_, at, std::move(what));
}

void configured_server_state::perform(protocol::end_trial&) {
  self_->unlink_from(trial_);
  self_->send_exit(std::exchange(trial_, nullptr), caf::exit_reason::user_shutdown);
}

void configured_server_state::perform(protocol::show_readiness& effect) {
  if (auto owner = caf::actor_cast<registry_actor>(owner_))
    self_->send(owner, server_readiness{std::move(effect.why_not)});
}

} // namespace troupe::actors
