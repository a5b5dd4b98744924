#include "actors/cluster/redis_store.hpp"

#include "protocol/session_id.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

using std::chrono::milliseconds;
using verdict = store_answer::verdict;
using outcome = session_found::outcome;
using protocol::time_point;

/// How often a session is asked for whose owner may still live.
constexpr milliseconds search_pause{250};
/// What the owner's lease is waited for longer than it can run.
constexpr milliseconds search_grace{1000};
constexpr std::size_t most_searches = 1000;
/// How long our farewell may take.
constexpr milliseconds farewell_limit{1000};
/// Sessions of which the log has said that they are not ours are forgotten when they are many.
constexpr std::size_t most_foreign = 1000;
/// Sessions that are known to be over.
constexpr std::size_t most_forgotten = 100'000;

redis_scripts scripts_for(const redis_store_setup& of) {
  return {of.prefix, of.owner, {of.lease_time, of.session_time, of.most_events, of.most_bytes}};
}

/// A Redis that hangs is to be left, and found again, before the lease runs out.
net::redis_options options_for(const redis_store_setup& setup) {
  net::redis_options result;
  result.time_limit = std::min(result.time_limit, setup.lease_time * 2 / 5);
  return result;
}

/// What net/ calls back with becomes a message, unless the actor has ended.
template <class Self>
auto teller(Self* self) {
  return [self = self->address()](auto fact) {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, std::move(fact));
  };
}

template <class Self>
net::redis_client::on_change change_teller(Self* self, store_reached::way by) {
  return [tell = teller(self), by](std::string why_lost) { tell(store_reached{by, std::move(why_lost)}); };
}

protocol::store_fate fate_of(verdict is) {
  switch (is) {
  case verdict::done:
    return protocol::store_fate::done;
  case verdict::lost:
    return protocol::store_fate::lost;
  case verdict::foreign:
  case verdict::unknown:
    return protocol::store_fate::refused;
  default:
    return protocol::store_fate::failed;
  }
}

} // namespace

redis_store_state::redis_store_state(pinned<interface>* self, net::io_thread& thread, store_user_actor user,
                                     redis_store_setup setup)
    : self_{self}, user_{std::move(user)}, setup_{std::move(setup)}, scripts_{scripts_for(setup_)},
      reminder_{self->at()}, writes_{setup_.waiting}, lease_{thread, setup_.address, options_for(setup_),
                                                             change_teller(self, way::lease)},
      writer_{thread, setup_.address, options_for(setup_), change_teller(self, way::writes)},
      searcher_{thread, setup_.address, options_for(setup_), change_teller(self, way::searches)} {}

/// Behind all that was written. A renewal that is still on its way makes the lease run once more, for its time at most.
redis_store_state::~redis_store_state() {
  setup_.ours->end();
  (reaches(way::writes) ? writer_ : lease_).bid_farewell(scripts_.leave(), farewell_limit);
}

redis_store_actor::behavior_type redis_store_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { end(msg); });
  return {
      [this](session_saved& msg) {
        writes_.remember(msg.session, std::move(msg.record));
        send_waiting();
      },
      [this](event_saved& msg) { keep(msg); },
      [this](session_forgotten& msg) { forget(msg.session); },
      [this](session_sought& msg) { seek(msg); },
      [this](session_given_back& msg) { give_back(msg); },
      [this](store_reached& msg) { on_reached(msg); },
      [this](lease_answered& msg) { on_lease(msg.answer); },
      [this](write_answered& msg) { on_written(msg); },
      [this](search_answered& msg) { on_found(msg); },
      [this](tick&) {
        reminder_.arrived();
        on_time();
      },
  };
}

/// Nobody hears any more what becomes of it.
void redis_store_state::end(const caf::exit_msg& msg) {
  if (!msg.reason)
    return;
  while (auto one = is_open_ ? writes_.next_in_haste() : std::nullopt)
    send(*one);
  self_->quit(msg.reason);
}

// -- time ----------------------------------------------------------------------------------

void redis_store_state::on_reached(const store_reached& msg) {
  reached_[static_cast<std::size_t>(msg.by)] = msg.why_lost.empty();
  if (msg.by == way::writes) {
    is_open_ = false;
    writable_since_ = now();
  }
  tell_reached(msg.why_lost);
  renew();
}

void redis_store_state::tell_reached(const std::string& why_lost) {
  auto is_reached = reaches_all();
  if (was_reached_ == is_reached || (!is_reached && why_lost.empty()))
    return;
  was_reached_ = is_reached;
  if (is_reached)
    setup_.log(log_level::info, "the store is reached");
  else
    setup_.log(log_level::warning, "the store is lost", {{"why", why_lost}});
}

void redis_store_state::on_time() {
  check_lease();
  if (next_renewal() <= now())
    renew();
  search_due(now());
  plan();
}

void redis_store_state::plan() {
  auto next = next_renewal();
  if (is_held_)
    next = std::min(next, setup_.ours->until());
  for (auto& [session, one] : searches_)
    next = std::min(next, one.next);
  reminder_.set(self_->address(), next);
}

// -- our lease -------------------------------------------------------------------------------

time_point redis_store_state::next_renewal() const {
  return may_renew() ? asked_ + setup_.lease_time / 5 : time_point::max();
}

/// Sessions become ours only when they can be written and searched for.
bool redis_store_state::may_renew() const {
  return reaches(way::lease) && !is_renewing_ && (is_held_ || reaches_all());
}

void redis_store_state::renew() {
  if (!may_renew())
    return;
  is_renewing_ = true;
  asked_ = now();
  lease_.send(scripts_.renew(),
              [tell = teller(self_)](const net::redis_reply& reply) { tell(lease_answered{read_answer(reply)}); });
}

void redis_store_state::on_lease(const store_answer& answer) {
  is_renewing_ = false;
  check_lease();
  if (answer.is == verdict::lapsed && is_held_)
    lose_lease();
  if (answer.is == verdict::failed)
    complain(answer.why);
  else if (answer.is != verdict::lost)
    extend_lease();
  plan();
}

/// Counted from before Redis was asked, and a tenth shorter, for clocks that do not go alike. A Redis that was asked
/// before it could be written to may be another by now.
void redis_store_state::extend_lease() {
  auto until = asked_ + setup_.lease_time * 9 / 10;
  if (until <= now())
    return;
  setup_.ours->extend(until);
  if (!std::exchange(is_held_, true) && was_lost_)
    setup_.log(log_level::info, "the store knows again that this node lives");
  is_open_ = reaches(way::writes) && asked_ >= writable_since_;
  if (!is_open_ && reaches(way::writes))
    renew();
  writes_.try_again();
  send_waiting();
}

void redis_store_state::check_lease() {
  if (is_held_ && !setup_.ours->holds(now()))
    lose_lease();
}

/// From now on others may take what was ours. What is not written yet is of sessions that end.
void redis_store_state::lose_lease() {
  is_held_ = false;
  is_open_ = false;
  was_lost_ = true;
  setup_.ours->end();
  setup_.log(log_level::warning, "the store may take this node for lost: sessions that it keeps end here");
  self_->send(user_, lease_lost{});
  writes_.drop_all();
  taken_.clear();
}

// -- writing ---------------------------------------------------------------------------------

void redis_store_state::keep(event_saved& msg) {
  if (!writes_.keep(msg.session, std::move(msg.what)))
    complain("too much waits to be written");
  send_waiting();
}

/// What its client has ended is not to come back when this node is gone.
void redis_store_state::forget(const std::string& session) {
  foreign_.erase(session);
  taken_.erase(session);
  note_forgotten(session);
  writes_.forget(session);
  send_waiting();
}

/// Whether Redis has heard of it or not.
void redis_store_state::note_forgotten(const std::string& session) {
  if (forgotten_.size() >= most_forgotten)
    forgotten_.clear();
  forgotten_.insert(session);
}

/// One that is sought again, or has been found again, may begin here after all.
void redis_store_state::give_back(const session_given_back& msg) {
  auto found = taken_.find(msg.session);
  if (searches_.contains(msg.session) || (found != taken_.end() && found->second != msg.taken))
    return;
  taken_.erase(msg.session);
  writes_.give_back(msg.session);
  send_waiting();
}

void redis_store_state::send_waiting() {
  while (auto one = is_open_ ? writes_.next() : std::nullopt)
    send(*one);
}

void redis_store_state::send(const protocol::store_write& what) {
  write_answered result{what.session, what.what, {}};
  writer_.send(command_for(what),
               [tell = teller(self_), result = std::move(result)](const net::redis_reply& reply) mutable {
                 result.answer = read_answer(reply);
                 tell(std::move(result));
               });
}

net::redis_command redis_store_state::command_for(const protocol::store_write& what) const {
  using task = protocol::store_task;
  switch (what.what) {
  case task::record:
    return scripts_.save(what.session, what.record);
  case task::event:
    return scripts_.append(what.session, what.event);
  case task::clear:
    return scripts_.clear(what.session);
  case task::forget:
    return scripts_.forget(what.session);
  default:
    return scripts_.give_back(what.session);
  }
}

/// What is lost is told of when its connection is, and written again.
void redis_store_state::on_written(const write_answered& msg) {
  writes_.carried_out(msg.session, msg.what, fate_of(msg.answer.is));
  if (msg.answer.is == verdict::done)
    is_troubled_ = false;
  else if (msg.answer.is == verdict::foreign)
    tell_foreign(msg.session);
  else if (msg.answer.is == verdict::unknown)
    complain("there is no such session in the store");
  else if (msg.answer.is == verdict::lapsed)
    complain("the lease has run out");
  else if (msg.answer.is == verdict::failed)
    complain(msg.answer.why);
  if (msg.answer.is == verdict::lapsed)
    renew();
  send_waiting();
  if (auto found = searches_.find(msg.session); found != searches_.end() && found->second.next != time_point::max())
    search_due(found->second.next = now());
}

/// Its new owner speaks for it, and we no more.
void redis_store_state::tell_foreign(const std::string& session) {
  writes_.drop(session);
  taken_.erase(session);
  self_->send(user_, lease_lost{session});
  if (foreign_.size() >= most_foreign)
    foreign_.clear();
  if (foreign_.insert(session).second)
    setup_.log(log_level::warning, "another node owns the session: nothing is kept of it",
               {{"session", protocol::shown(session)}});
}

/// Once, until the store keeps something again.
void redis_store_state::complain(const std::string& why) {
  if (!std::exchange(is_troubled_, true))
    setup_.log(log_level::warning, "the store did not keep what it was told", {{"why", why}});
}

// -- searching -------------------------------------------------------------------------------

void redis_store_state::seek(session_sought& msg) {
  if (forgotten_.contains(msg.session))
    return self_->send(msg.to, session_found{msg.session, outcome::unknown, {}, {}, {}});
  if (searches_.size() >= most_searches && !searches_.contains(msg.session))
    return self_->send(msg.to, session_found{msg.session, outcome::unavailable, {}, {}, {}});
  auto until = now() + setup_.lease_time + search_grace;
  search one{std::move(msg.to), std::move(msg.alive), time_point::max(), until};
  if (searches_.try_emplace(msg.session, std::move(one)).second)
    ask(msg.session);
  plan();
}

void redis_store_state::search_due(time_point until) {
  std::vector<std::string> due;
  for (auto& [session, one] : searches_)
    if (one.next <= until)
      due.push_back(session);
  for (auto& session : due)
    ask(session);
}

/// Not before all is written that waits to be: it may be that the session is to be given back.
void redis_store_state::ask(const std::string& session) {
  auto& one = searches_.at(session);
  one.next = time_point::max();
  if (reaches_all() && !writes_.waits(session)) {
    searcher_.send(scripts_.take(session), [tell = teller(self_), session](const net::redis_reply& reply) {
      tell(read_found(session, reply));
    });
  } else if (reaches_all() && is_held_ && now() < one.until) {
    one.next = now() + search_pause;
  } else {
    search_answered nothing{session, {}, {}, {}, {}};
    tell(nothing, outcome::unavailable);
  }
}

/// What is ours only by a lease that has run out again is not.
void redis_store_state::on_found(search_answered& msg) {
  auto found = searches_.find(msg.session);
  if (found == searches_.end())
    return;
  check_lease();
  auto& alive = found->second.alive;
  if (msg.answer.is == verdict::busy && std::find(alive.begin(), alive.end(), msg.owner) != alive.end())
    return tell(msg, outcome::elsewhere);
  auto is_open = msg.answer.is == verdict::busy || msg.answer.is == verdict::lapsed;
  if (is_open && now() < found->second.until) {
    found->second.next = now() + search_pause;
    return plan();
  }
  if (msg.answer.is == verdict::done && is_held_)
    tell(msg, outcome::ours);
  else
    tell(msg, msg.answer.is == verdict::unknown ? outcome::unknown : outcome::unavailable);
}

void redis_store_state::tell(search_answered& msg, outcome is) {
  auto node = searches_.extract(msg.session);
  if (is != outcome::elsewhere)
    msg.owner.clear();
  if (is == outcome::ours) {
    foreign_.erase(msg.session);
    writes_.drop(msg.session);
    taken_[msg.session] = ++last_taken_;
  }
  self_->send(node.mapped().to, session_found{std::move(msg.session), is, std::move(msg.owner), std::move(msg.record),
                                              std::move(msg.events), setup_.ours->term(), last_taken_});
}

} // namespace troupe::actors
