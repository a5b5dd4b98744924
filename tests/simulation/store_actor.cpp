#include "tests/simulation/store_actor.hpp"

#include "tests/simulation/node.hpp"
#include "tests/support/store_driver.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::tests::simulation {

store_actor::store_actor(std::shared_ptr<process> at, node& of, redis_server& to, std::chrono::milliseconds tenure_time,
                         std::string owner)
    : actor{std::move(at)}, node_{of}, owner_{std::move(owner)}, machine_{tenure_time, {}}, to_{to},
      limit_{std::min<span_of_time>(2s, tenure_time * 2 / 5)} {}

void store_actor::begin() {
  for (auto by : {store_connection::tenure, store_connection::writes, store_connection::searches}) {
    auto told = [this, by](const std::string& why_lost) {
      post([this, by, why_lost] {
        carry_out(why_lost.empty() ? machine_.reached(by, now()) : machine_.lost(by, why_lost, now()));
      });
    };
    lines_.push_back(std::make_shared<redis_line>(home(), to_, limit_, told));
    lines_.back()->connect();
  }
}

// -- sessions --------------------------------------------------------------------------------

void store_actor::saved(const std::string& session, std::string record, std::uint64_t term) {
  post([this, session, record = std::move(record), term] {
    if (is_current(term))
      machine_.remember(session, record);
    else if (ours_->is_unbroken(term))
      machine_.remember_moved(session, record, {ours_->term(), true, true});
    send_waiting();
  });
}

void store_actor::claimed(const std::string& session, std::string record, session_claim how) {
  post([this, session, record = std::move(record), how] {
    if (is_current(how.term))
      machine_.claim(session, record, how);
    send_waiting();
  });
}

bool store_actor::may_write(const std::string& session, std::uint64_t term) {
  if (!ours_->is_unbroken(term))
    return false;
  if (!is_current(term))
    machine_.await_claim(session);
  return true;
}

void store_actor::event_saved(const std::string& session, saved_event what, std::uint64_t term) {
  post([this, session, what = std::move(what), term] {
    if (may_write(session, term))
      carry_out(machine_.keep(session, what));
    else
      machine_.miss(session);
  });
}

void store_actor::forgotten(const std::string& session, std::uint64_t term) {
  post([this, session, term] {
    machine_.forget(session, ours_->is_unbroken(term));
    send_waiting();
  });
}

void store_actor::abandoned(const std::string& session) {
  post([this, session] { machine_.give_up(session); });
}

void store_actor::handed_over(const std::string& session, std::uint64_t term) {
  post([this, session, term] {
    if (may_write(session, term))
      machine_.release(session);
    send_waiting();
  });
}

// -- searches --------------------------------------------------------------------------------

void store_actor::search(const std::string& session, std::vector<std::string> alive, std::string uncertain_owner) {
  post([this, session, alive = std::move(alive), uncertain_owner = std::move(uncertain_owner)] {
    sought_.insert(session);
    carry_out(machine_.searched(session, alive, uncertain_owner, now()));
    plan();
  });
}

void store_actor::alive(std::vector<std::string> nodes) {
  post([this, nodes = std::move(nodes)] { machine_.nodes_alive(nodes); });
}

void store_actor::returned(const std::string& session, std::uint64_t taken) {
  post([this, session, taken] {
    machine_.give_back(session, taken);
    send_waiting();
  });
}

void store_actor::end() {
  post([this] {
    while (auto one = machine_.next_write_unlimited())
      send(std::move(*one));
    leave();
    quit();
  });
}

void store_actor::leave() {
  ours_->end();
  auto by = machine_.reaches(store_connection::writes) ? store_connection::writes : store_connection::tenure;
  line(by).send(
      [owner = owner_](redis_data& data, time_point) {
        data.leave(owner);
        return [] {};
      },
      [] {});
}

void store_actor::tick() {
  carry_out(machine_.tick(now()));
  plan();
}

// -- effects ---------------------------------------------------------------------------------

void store_actor::carry_out(store_effects effects) {
  auto before = ours_->term();
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  if (!is_current(before) && !ours_->holds())
    node_.registry().disown({});
  send_waiting();
  plan();
}

void store_actor::perform(const renew_tenure& effect) {
  auto told = [this](store_answer is) {
    return [this, is] {
      post([this, is] {
        carry_out(machine_.renewed(is, now()));
        plan();
      });
    };
  };
  line(store_connection::tenure)
      .send([told, owner = owner_, effect](redis_data& data,
                                           time_point when) { return told(data.renew(owner, effect, when)); },
            told({store_verdict::lost}));
}

/// A tenure that is kept after its end runs for ever.
void store_actor::perform(const extend_tenure& effect) {
  ours_->extend(node_.has(planted::tenure_kept) ? effect.until + 1h : effect.until);
}

void store_actor::perform(const end_tenure&) {
  if (!node_.has(planted::tenure_kept))
    ours_->end();
}

void store_actor::perform(const claim_again& effect) {
  node_.registry().claim({ours_->term(), effect.is_new_store, effect.is_held});
}

void store_actor::perform(const protocol::claimed& effect) { node_.registry().regain(effect.session, effect.term); }
void store_actor::perform(const doubt_session& effect) { node_.registry().end_taken(effect.session); }
void store_actor::perform(const end_foreign_session& effect) { node_.registry().disown(effect.session); }
void store_actor::perform(const let_go& effect) { node_.registry().let_go(effect.session); }

/// The store has forgotten the session: it lives nowhere.
void store_actor::perform(const session_gone& effect) {
  if (effect.is_done)
    node_.checks().ended(effect.session);
  node_.registry().gone(effect.session, effect.is_done);
}

void store_actor::perform(const take_over_session& effect) {
  auto told = [this](search_result what) {
    return [this, what = std::move(what)] { post([this, what] { found(what); }); };
  };
  line(store_connection::searches)
      .send([told, owner = owner_, effect, seen = machine_.seen()](
                redis_data& data, time_point when) { return told(data.take_over(owner, effect, seen, when)); },
            told({effect.session, {store_verdict::lost}}));
}

void store_actor::found(search_result what) {
  carry_out(machine_.found(std::move(what), now()));
  plan();
}

void store_actor::perform(search_outcome& effect) {
  at().note("is " + tests::name_of(effect.is), shown(effect.session));
  if (sought_.erase(effect.session) != 0)
    node_.router().found(std::move(effect), ours_->term());
}

// -- writes ----------------------------------------------------------------------------------

void store_actor::send_waiting() {
  while (auto one = machine_.next_write())
    send(std::move(*one));
}

void store_actor::send(store_write what) {
  auto told = [this, session = what.session, task = what.what, term = what.claim.term](store_answer is) {
    return [this, session, task, term, is] {
      post([this, session, task, term, is] {
        carry_out(machine_.written(session, task, is, now(), term));
        plan();
      });
    };
  };
  auto lost = told({store_verdict::lost});
  line(store_connection::writes)
      .send([told, owner = owner_,
             what = std::move(what)](redis_data& data, time_point when) { return told(data.write(owner, what, when)); },
            std::move(lost));
}

} // namespace troupe::tests::simulation
