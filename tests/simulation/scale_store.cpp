#include "tests/simulation/scale_store.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::tests::simulation {

namespace {

constexpr auto refresh_step = 50ms;
/// Time after which a client calls again when its node is not known to be lost.
constexpr auto next_try = 250ms;
constexpr auto way_to_store = 500us;

std::string name_of(std::uint32_t session) { return "s" + std::to_string(session); }
std::uint32_t number_of(const std::string& session) {
  return static_cast<std::uint32_t>(std::stoul(session.substr(1)));
}

} // namespace

scale_store::scale_store(scheduler& time, scale_links& links, std::chrono::milliseconds heartbeat,
                         const session_load& load, const store_costs& costs)
    : time_{time}, links_{links}, load_{load}, costs_{costs}, data_{heartbeat, true}, users_(links.size()) {
  for (auto& one : users_)
    one.machine = std::make_unique<session_store>(heartbeat, store_limits{});
}

// -- nodes -----------------------------------------------------------------------------------

void scale_store::start(std::size_t node) {
  auto& at = users_[node];
  auto tenure_time = std::chrono::duration_cast<std::chrono::milliseconds>(data_.tenure_time());
  at = user{.run = at.run + 1, .owner = life_text(links_.life(node))};
  at.machine = std::make_unique<session_store>(tenure_time, store_limits{});
  at.pace = std::make_unique<restore_pace>(load_.restores_a_second);
  for (auto by : {store_connection::tenure, store_connection::writes, store_connection::searches})
    later(at, time_.now() + 2 * way_to_store,
          [this, by](user& one) { carry_out(one, one.machine->reached(by, time_.now())); });
}

void scale_store::stop(std::size_t node, bool leaves) {
  auto& at = users_[node];
  if (leaves)
    data_.leave(at.owner);
  ++at.run;
  at.has_tenure = false;
  at.pace.reset();
}

void scale_store::later(const user& at, time_point when, fact what) {
  time_.at(when, [this, node = index_of(at), run = at.run, what = std::move(what)] {
    if (auto& one = users_[node]; one.run == run)
      what(one);
  });
}

void scale_store::remind(user& at) {
  auto when = std::max(at.machine->deadline(), time_.now());
  if (when >= at.reminded)
    return;
  at.reminded = when;
  later(at, when, [this, when](user& one) {
    if (one.reminded != when)
      return;
    one.reminded = time_point::max();
    carry_out(one, one.machine->tick(time_.now()));
  });
}

void scale_store::note_tenure(user& at, bool runs) {
  if (std::exchange(at.has_tenure, runs) != runs)
    links_.announce_tenure(index_of(at), runs);
}

// -- the store -------------------------------------------------------------------------------

time_point scale_store::served(span_of_time cost, std::size_t bytes) {
  busy_until_ = std::max(busy_until_, time_.now() + way_to_store) + cost;
  traffic_.busy += cost;
  traffic_.bytes += bytes;
  return busy_until_ + way_to_store;
}

void scale_store::carry_out(user& at, store_effects effects) {
  for (auto& effect : effects)
    std::visit([&](auto& one) { perform(at, one); }, effect);
  send_writes(at);
  remind(at);
}

void scale_store::perform(user& at, const renew_tenure& effect) {
  ++traffic_.renewals;
  auto when = served(costs_.renew, costs_.renew_bytes);
  auto answer = data_.renew(at.owner, effect, when - way_to_store);
  later(at, when,
        [this, answer = std::move(answer)](user& one) { carry_out(one, one.machine->renewed(answer, time_.now())); });
}

void scale_store::send_writes(user& at) {
  while (auto what = at.machine->next_write()) {
    ++traffic_.records;
    auto when = served(costs_.save, costs_.save_bytes);
    auto answer = data_.write(at.owner, *what, when - way_to_store);
    later(at, when, [this, session = what->session, task = what->what, answer](user& one) {
      carry_out(one, one.machine->written(session, task, answer, time_.now()));
    });
  }
}

// -- sessions --------------------------------------------------------------------------------

void scale_store::begin_sessions() {
  std::vector<std::size_t> up;
  for (std::size_t i = 0; i < users_.size(); ++i)
    if (links_.is_up(i))
      up.push_back(i);
  for (std::uint32_t i = 0; i < load_.sessions; ++i)
    users_[up[i % up.size()]].sessions.push_back(i);
  for (auto node : up)
    refresh(users_[node]);
}

/// Writes the share of the sessions that is due in one step.
void scale_store::refresh(user& at) {
  at.due += static_cast<double>(at.sessions.size()) * (std::chrono::duration<double>(refresh_step) / load_.refresh);
  for (; at.due >= 1 && !at.sessions.empty(); at.due -= 1)
    at.machine->remember(name_of(at.sessions[at.next++ % at.sessions.size()]), "record");
  send_writes(at);
  later(at, time_.now() + refresh_step, [this](user& one) { refresh(one); });
}

void scale_store::lose_sessions(std::size_t node) {
  ++death_;
  dead_life_ = links_.life(node);
  died_at_ = time_.now();
  auto lost = std::exchange(users_[node].sessions, {});
  recovery_ = {.sessions = lost.size()};
  auto pause = std::chrono::duration_cast<span_of_time>(std::chrono::duration<double>(1 / load_.calls));
  for (auto one : lost)
    call_later(one, time_.luck().between({}, pause));
}

void scale_store::call_later(std::uint32_t session, span_of_time time) {
  time_.after(time, [this, session, death = death_] {
    if (death == death_)
      call(session);
  });
}

/// A load balancer sends the call to any node that runs. While the node takes the owner for alive, the call fails.
void scale_store::call(std::uint32_t session) {
  auto node = time_.luck().below(users_.size());
  while (!links_.is_up(node))
    node = (node + 1) % users_.size();
  if (links_.knows(node, dead_life_))
    return call_later(session, next_try);
  search(users_[node], session);
}

void scale_store::search(user& at, std::uint32_t session) {
  using turn = restore_pace::turn;
  auto name = name_of(session);
  auto when = at.pace->asked(name, time_.now());
  if (when == turn::now)
    carry_out(at, at.machine->searched(name, {}, {}, time_.now()));
  else if (when == turn::never) {
    ++recovery_.refused;
    return call_later(session, at.pace->pause() + time_.luck().between({}, 1s));
  }
  search_due(at);
}

void scale_store::search_due(user& at) {
  for (auto& one : at.pace->due(time_.now()))
    carry_out(at, at.machine->searched(one, {}, {}, time_.now()));
  auto when = std::max(at.pace->deadline(), time_.now() + 1ms);
  if (at.pace->deadline() == time_point::max() || when >= at.paced)
    return;
  at.paced = when;
  later(at, when, [this, when](user& one) {
    if (one.paced != when)
      return;
    one.paced = time_point::max();
    search_due(one);
  });
}

void scale_store::perform(user& at, const take_over_session& effect) {
  ++traffic_.searches;
  auto when = served(costs_.take, costs_.take_bytes);
  auto found = data_.take_over(at.owner, effect, at.machine->seen(), when - way_to_store);
  later(at, when, [this, found = std::move(found)](user& one) {
    carry_out(one, one.machine->found(search_result{found}, time_.now()));
  });
}

void scale_store::perform(user& at, const search_outcome& effect) {
  auto is_ours = effect.is == search_outcome::outcome::ours;
  at.pace->found(effect.session, is_ours, time_.now());
  if (is_ours) {
    at.sessions.push_back(number_of(effect.session));
    note_restored();
  } else {
    call_later(number_of(effect.session), next_try);
  }
  later(at, time_.now(), [this](user& one) { search_due(one); });
}

/// Searches for sessions of a node that died earlier do not count.
void scale_store::note_restored() {
  if (recovery_.restored == recovery_.sessions)
    return;
  recovery_.last = time_.now() - died_at_;
  if (recovery_.restored++ == 0)
    recovery_.first = recovery_.last;
}

} // namespace troupe::tests::simulation
