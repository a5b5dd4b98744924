#include "actors/cluster/redis_store.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

using protocol::store_connection;

/// Longest wait for Redis to receive the end of this node's tenure.
constexpr std::chrono::milliseconds give_up_limit{1000};

redis_scripts scripts_for(const redis_store_setup& of) {
  return {of.prefix, of.owner, {of.tenure_time, of.session_time, of.most_events, of.most_bytes}};
}

/// A hanging Redis must be dropped and reconnected before the tenure expires.
net::redis_options options_for(const redis_store_setup& setup) {
  net::redis_options result;
  result.time_limit = std::min(result.time_limit, setup.tenure_time * 2 / 5);
  result.trust = setup.trust;
  return result;
}

/// Turns callbacks of net/ into messages to the actor; drops them once the actor has ended.
template <class Self>
auto teller(Self* self) {
  return [self = self->address()](auto fact) { send_if_alive(self, std::move(fact)); };
}

template <class Self>
net::redis_client::on_change change_teller(Self* self, store_connection by) {
  return [tell = teller(self), by](std::string why_lost) { tell(store_reached{by, std::move(why_lost)}); };
}

} // namespace

redis_store_state::redis_store_state(pinned<interface>* self, net::io_thread& thread, store_user_actor user,
                                     redis_store_setup setup)
    : self_{self}, user_{std::move(user)}, setup_{std::move(setup)}, scripts_{scripts_for(setup_)},
      reminder_{self->at()}, machine_{setup_.tenure_time, setup_.waiting},
      tenure_{thread, setup_.address, options_for(setup_), change_teller(self, store_connection::tenure)},
      writer_{thread, setup_.address, options_for(setup_), change_teller(self, store_connection::writes)},
      searcher_{thread, setup_.address, options_for(setup_), change_teller(self, store_connection::searches)} {}

/// Ends the tenure after all pending writes. A renewal still in transit can extend the tenure once more, by up to
/// `tenure_time`.
redis_store_state::~redis_store_state() {
  setup_.ours->end();
  (machine_.reaches(store_connection::writes) ? writer_ : tenure_).send_last(scripts_.leave(), give_up_limit);
}

redis_store_actor::behavior_type redis_store_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { end(msg); });
  return {
      [this](session_saved& msg) {
        save(msg);
        send_waiting();
      },
      [this](session_claimed& msg) {
        if (is_current(msg.how.term))
          machine_.claim(msg.session, std::move(msg.record), msg.how);
        send_waiting();
      },
      [this](event_saved& msg) { keep(msg); },
      [this](session_forgotten& msg) {
        machine_.forget(msg.session, setup_.ours->is_unbroken(msg.term));
        send_waiting();
      },
      [this](session_abandoned& msg) { machine_.give_up(msg.session); },
      [this](session_search& msg) {
        seekers_.try_emplace(msg.session, std::move(msg.to));
        carry_out(machine_.searched(msg.session, std::move(msg.alive), std::move(msg.uncertain_owner), now()));
        plan();
      },
      [this](nodes_alive& msg) { machine_.nodes_alive(msg.alive); },
      [this](session_returned& msg) {
        machine_.give_back(msg.session, msg.taken);
        send_waiting();
      },
      [this](session_handed_over& msg) {
        if (may_write(msg.session, msg.term))
          machine_.release(msg.session);
        send_waiting();
      },
      [this](store_reached& msg) {
        carry_out(msg.why_lost.empty() ? machine_.reached(msg.by, now()) : machine_.lost(msg.by, msg.why_lost, now()));
      },
      [this](tenure_answered& msg) {
        carry_out(machine_.renewed(msg.answer, now()));
        plan();
      },
      [this](write_answered& msg) {
        carry_out(machine_.written(msg.session, msg.what, msg.answer, now(), msg.term));
        plan();
      },
      [this](search_answered& msg) {
        carry_out(machine_.found(std::move(msg.what), now()));
        plan();
      },
      [this](tick&) {
        reminder_.arrived();
        carry_out(machine_.tick(now()));
        plan();
      },
  };
}

void redis_store_state::save(session_saved& msg) {
  if (is_current(msg.term))
    machine_.remember(msg.session, std::move(msg.record));
  else if (setup_.ours->is_unbroken(msg.term))
    machine_.remember_moved(msg.session, std::move(msg.record), {setup_.ours->term(), true, true});
}

/// False if this node has owned the session in a tenure that has run out since. If the tenure has only moved, writes
/// wait for the claim.
bool redis_store_state::may_write(const std::string& session, std::uint64_t term) {
  if (!setup_.ours->is_unbroken(term))
    return false;
  if (!is_current(term))
    machine_.await_claim(session);
  return true;
}

/// Stores an event. In a tenure that has run out the event is missing from the log, but its client may have received
/// it.
void redis_store_state::keep(event_saved& msg) {
  if (may_write(msg.session, msg.term))
    carry_out(machine_.keep(msg.session, std::move(msg.what)));
  else
    machine_.miss(msg.session);
}

/// Sends all waiting writes and quits; their results are not reported.
void redis_store_state::end(const caf::exit_msg& msg) {
  if (!msg.reason)
    return;
  while (auto one = machine_.next_write_unlimited())
    send(*one);
  self_->quit(msg.reason);
}

// -- effects -----------------------------------------------------------------------------------

/// Reports a lost tenure, unless it already runs again: a gap that short concerns no session.
void redis_store_state::carry_out(protocol::store_effects effects) {
  auto before = setup_.ours->term();
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  if (!is_current(before) && !setup_.ours->holds())
    self_->send(user_, tenure_lost{});
  send_waiting();
}

void redis_store_state::perform(const protocol::renew_tenure& effect) {
  tenure_.send(scripts_.renew(effect),
               [tell = teller(self_)](const net::redis_reply& reply) { tell(tenure_answered{read_renewal(reply)}); });
}

void redis_store_state::perform(protocol::doubt_session& effect) {
  self_->send(user_, session_taken{std::move(effect.session)});
}

void redis_store_state::perform(protocol::end_foreign_session& effect) {
  self_->send(user_, tenure_lost{std::move(effect.session)});
}

void redis_store_state::perform(const protocol::claim_again& effect) {
  self_->send(user_, tenure_regained{{setup_.ours->term(), effect.is_new_store, effect.is_held}});
}

void redis_store_state::perform(protocol::claimed& effect) {
  self_->send(user_, session_regained{std::move(effect.session), effect.term});
}

void redis_store_state::perform(protocol::let_go& effect) {
  self_->send(user_, session_let_go{std::move(effect.session)});
}

void redis_store_state::perform(protocol::session_gone& effect) {
  self_->send(user_, session_gone{std::move(effect.session), effect.is_done});
}

void redis_store_state::perform(const protocol::take_over_session& effect) {
  searcher_.send(scripts_.take_over(effect.session, effect.number, machine_.seen()),
                 [tell = teller(self_), session = effect.session](const net::redis_reply& reply) {
                   tell(search_answered{read_found(session, reply)});
                 });
}

void redis_store_state::perform(protocol::search_outcome& effect) {
  if (auto to = seekers_.extract(effect.session))
    self_->send(to.mapped(), session_found{std::move(effect), setup_.ours->term()});
}

// -- writing -----------------------------------------------------------------------------------

void redis_store_state::send_waiting() {
  while (auto one = machine_.next_write())
    send(*one);
}

void redis_store_state::send(const protocol::store_write& what) {
  write_answered result{what.session, what.what, what.claim.term, {}};
  writer_.send(redis_scripts::sent_by(machine_.writer(), command_for(what)),
               [tell = teller(self_), result = std::move(result)](const net::redis_reply& reply) mutable {
                 result.answer = read_answer(reply);
                 tell(std::move(result));
               });
}

net::redis_command redis_store_state::command_for(const protocol::store_write& what) const {
  using task = protocol::store_task;
  switch (what.what) {
  case task::claim:
    return scripts_.claim(what.session, what.record, what.claim);
  case task::record:
    return scripts_.save(what.session, what.record);
  case task::event:
    return scripts_.append(what.session, what.event);
  case task::clear:
    return scripts_.clear(what.session);
  case task::forget:
    return scripts_.forget(what.session, what.claim.is_held);
  case task::release:
    return scripts_.release(what.session);
  default:
    return scripts_.give_back(what.session, what.taken);
  }
}

} // namespace troupe::actors
