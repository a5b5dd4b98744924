#include "actors/upstream/server.hpp"

#include "actors/upstream/supervised_upstream.hpp"
#include "protocol/seconds.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// How long a server that was removed is still there for those who use it.
constexpr auto farewell = std::chrono::minutes{1};

} // namespace

server_state::server_state(pinned<interface>* self, caf::actor_addr owner, std::shared_ptr<const server_setup> setup)
    : self_{self}, owner_{std::move(owner)}, setup_{std::move(setup)},
      breaker_{setup_->rules.restarts.attempts, setup_->rules.restarts.rest}, reminder_{self->at()} {}

server_actor::behavior_type server_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  if (setup_->eager && setup_->sharing == sharing::shared)
    share();
  if (setup_->sharing == sharing::pool)
    reminder_.set(self_->address(), self_->at().now());
  return {
      [this](server_wanted& msg) { give(msg); },
      [this](upstream_tried& msg) { note_try(msg); },
      [this](server_retired&) { retire(); },
      [this](report_request& msg) { report(msg.to); },
      [this](tick&) {
        reminder_.arrived();
        fill_pool();
        end_if_done();
      },
  };
}

void server_state::give(server_wanted& msg) {
  if (msg.what_for == server_wanted::use::bare)
    return give_bare(msg);
  if (retired_)
    return self_->send(msg.user, server_lost{"the MCP server was removed from the configuration"});
  if (setup_->sharing == sharing::shared)
    return give_shared(msg);
  if (auto pause = pool_.empty() ? breaker_.claims(self_->at().now()) : std::nullopt)
    return self_->send(
        msg.user, server_lost{"The MCP server does not start; the next try is in " + protocol::seconds_text(*pause)});
  if (setup_->bare_alone && msg.what_for == server_wanted::use::alone)
    give_bare(msg);
  else
    give_supervised(msg);
}

void server_state::give_shared(const server_wanted& msg) {
  if (!shared_)
    share();
  hand_over(msg, caf::actor_cast<upstream_actor>(shared_), false);
}

void server_state::give_supervised(const server_wanted& msg) {
  supervised_upstream_actor made =
      self_->spawn<supervised_upstream>(std::ref(*setup_->units[msg.unit]), handle(), setup_->name, rules_of(msg),
                                        setup_->random(), setup_->log, false, msg.user, msg.session);
  hand_over(msg, caf::actor_cast<upstream_actor>(made), true);
}

void server_state::give_bare(const server_wanted& msg) {
  auto one = take_warm(msg.unit);
  if (one)
    self_->send(one, serve_user{msg.user, msg.session});
  else
    one = setup_->spawn_bare(*setup_->units[msg.unit], handle(), msg.user, msg.session);
  hand_over(msg, caf::actor_cast<upstream_actor>(one), true);
  // Its thread stands still while a process starts: whoever got this one is served first.
  if (setup_->sharing == sharing::pool)
    reminder_.set(self_->address(), self_->at().now());
}

void server_state::hand_over(const server_wanted& msg, upstream_actor upstream, bool own) {
  self_->send(msg.user, server_given{std::move(upstream), msg.ticket, own});
}

void server_state::share() {
  auto rules = setup_->rules;
  rules.ends_users = setup_->ends_users;
  auto& at = *setup_->units[setup_->random() % setup_->units.size()];
  shared_ = spawn_linked<supervised_upstream_state>(self_, at, handle(), setup_->name, std::move(rules),
                                                    setup_->random(), setup_->log, setup_->eager);
}

protocol::supervision_rules server_state::rules_of(const server_wanted& msg) const {
  auto result = setup_->rules;
  result.dedicated = true;
  result.ends_users = setup_->ends_users && msg.what_for == server_wanted::use::alone;
  return result;
}

// -- the pool -----------------------------------------------------------------------------------

/// One that lives where its user does, if there is one.
bare_upstream_actor server_state::take_warm(std::size_t unit) {
  if (pool_.empty())
    return {};
  auto one = std::find_if(pool_.begin(), pool_.end(), [&](auto& candidate) { return candidate.unit == unit; });
  if (one == pool_.end())
    one = pool_.begin();
  auto result = std::move(one->upstream);
  pool_.erase(one);
  self_->unlink_from(result);
  return result;
}

/// Those that failed to start are tried again when their breaker allows it.
void server_state::fill_pool() {
  if (retired_ || setup_->sharing != sharing::pool)
    return;
  if (auto pause = breaker_.refuses(self_->at().now()))
    return reminder_.set(self_->address(), self_->at().now() + *pause);
  while (pool_.size() < setup_->pool) {
    auto unit = next_unit_++ % setup_->units.size();
    pool_.push_back({setup_->spawn_bare(*setup_->units[unit], handle(), {}, {}), unit});
    self_->link_to(pool_.back().upstream);
  }
}

// -- what becomes of them -----------------------------------------------------------------------

/// Those who are still served may need a new process, for a while.
void server_state::retire() {
  retired_ = true;
  for (auto& one : std::exchange(pool_, {}))
    self_->send_exit(one.upstream, caf::exit_reason::user_shutdown);
  if (shared_)
    self_->send(shared_, server_retired{});
  gone_at_ = self_->at().now() + farewell;
  reminder_.set(self_->address(), gone_at_);
}

void server_state::end_if_done() {
  auto now = self_->at().now();
  if (!retired_)
    return;
  if (now >= gone_at_ && !shared_)
    return self_->quit(caf::exit_reason::user_shutdown);
  reminder_.set(self_->address(), std::max(gone_at_, now + farewell));
}

void server_state::note_try(const upstream_tried& msg) {
  if (msg.spoke)
    return breaker_.worked();
  if (msg.age >= setup_->rules.restarts.steady)
    return;
  why_not_ = msg.why;
  breaker_.failed(self_->at().now());
  if (auto pause = breaker_.refuses(self_->at().now()))
    setup_->log(log_level::error, "server does not start",
                {{"server", setup_->name}, {"why", msg.why}, {"next_try_in", protocol::seconds_text(*pause)}});
}

void server_state::on_exit_of(const caf::exit_msg& msg) {
  auto warm = std::find_if(pool_.begin(), pool_.end(), [&](auto& one) { return one.upstream.address() == msg.source; });
  if (warm != pool_.end()) {
    pool_.erase(warm);
    return reminder_.set(self_->address(), self_->at().now() + setup_->rules.restarts.first_delay);
  }
  if (shared_ && msg.source == shared_.address())
    shared_ = nullptr;
  if (msg.source == owner_ || msg.source == self_->address())
    self_->quit(msg.reason);
}

void server_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.asked = pool_.size() + (shared_ ? 1 : 0);
  if (!shared_) {
    auto refuses = breaker_.refuses(self_->at().now()).has_value();
    result.part.servers.push_back({setup_->name, {}, refuses ? "resting" : "idle", 0, why_not_, 0});
  }
  self_->send(to, std::move(result));
  if (shared_)
    self_->send(shared_, report_request{to});
  for (auto& one : pool_)
    self_->send(one.upstream, report_request{to});
}

} // namespace troupe::actors
