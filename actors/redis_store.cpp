#include "actors/redis_store.hpp"

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
/// Sessions that Redis is told again to forget.
constexpr std::size_t most_unforgotten = 10'000;

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
net::redis_client::on_change change_teller(Self* self) {
  return [tell = teller(self)](std::string why_lost) { tell(store_reached{std::move(why_lost)}); };
}

} // namespace

redis_store_state::redis_store_state(pinned<interface>* self, net::io_thread& thread, store_user_actor user,
                                     redis_store_setup setup)
    : self_{self}, user_{std::move(user)}, setup_{std::move(setup)}, scripts_{scripts_for(setup_)},
      reminder_{self->at()}, client_{thread, setup_.address, options_for(setup_), change_teller(self)} {}

redis_store_state::~redis_store_state() {
  setup_.ours->end();
  client_.bid_farewell(scripts_.leave(), farewell_limit);
}

redis_store_actor::behavior_type redis_store_state::make_behavior() {
  return {
      [this](session_saved& msg) {
        write({msg.session, msg.record.size(), false, scripts_.save(msg.session, msg.record)});
      },
      [this](event_saved& msg) {
        write({msg.session, msg.what.text.size(), false, scripts_.append(msg.session, msg.what)});
      },
      [this](session_forgotten& msg) { forget(msg.session); },
      [this](session_sought& msg) { seek(msg); },
      [this](store_reached& msg) { on_reached(msg.why_lost); },
      [this](lease_answered& msg) { on_lease(msg.answer); },
      [this](write_answered& msg) { on_written(msg); },
      [this](search_answered& msg) { on_found(msg); },
      [this](tick&) {
        reminder_.arrived();
        on_time();
      },
  };
}

// -- time ----------------------------------------------------------------------------------

void redis_store_state::on_reached(const std::string& why_lost) {
  is_reached_ = why_lost.empty();
  is_open_ = false;
  if (is_reached_)
    setup_.log(log_level::info, "the store is reached");
  else
    setup_.log(log_level::warning, "the store is lost", {{"why", why_lost}});
  renew();
}

void redis_store_state::on_time() {
  check_lease();
  if (next_renewal() <= now())
    renew();
  for (auto& [session, one] : searches_)
    if (one.next <= now()) {
      one.next = time_point::max();
      ask(session);
    }
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
  return is_reached_ && !is_renewing_ ? asked_ + setup_.lease_time / 5 : time_point::max();
}

void redis_store_state::renew() {
  if (!is_reached_ || is_renewing_)
    return;
  is_renewing_ = true;
  asked_ = now();
  client_.send(scripts_.renew(),
               [tell = teller(self_)](const net::redis_reply& reply) { tell(lease_answered{read_answer(reply)}); });
}

void redis_store_state::on_lease(const store_answer& answer) {
  is_renewing_ = false;
  check_lease();
  if (answer.is == verdict::lapsed && is_held_)
    lose_lease();
  if (answer.is == verdict::failed)
    complain(answer.why);
  else
    extend_lease();
  plan();
}

/// Counted from before Redis was asked, and a tenth shorter, for clocks that do not go alike.
void redis_store_state::extend_lease() {
  auto until = asked_ + setup_.lease_time * 9 / 10;
  if (until <= now())
    return;
  setup_.ours->extend(until);
  if (!std::exchange(is_held_, true) && was_lost_)
    setup_.log(log_level::info, "the store knows again that this node lives");
  send_held();
  forget_again();
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
  drop_held();
}

// -- writing ---------------------------------------------------------------------------------

/// Whether it is written, if Redis takes it.
bool redis_store_state::write(held_write what) {
  if (writes_ >= setup_.most_writes || what.size > setup_.most_waiting_bytes - writes_size_) {
    complain("too much waits to be written");
    return false;
  }
  ++writes_;
  writes_size_ += what.size;
  held_.push_back(std::move(what));
  if (is_open_)
    send_held();
  return true;
}

void redis_store_state::send(held_write what) {
  write_answered result{std::move(what.session), what.size, what.forgets, {}};
  client_.send(what.command, [tell = teller(self_), result = std::move(result)](const net::redis_reply& reply) mutable {
    result.answer = read_answer(reply);
    tell(std::move(result));
  });
}

void redis_store_state::send_held() {
  is_open_ = true;
  for (auto& one : std::exchange(held_, {}))
    send(std::move(one));
}

void redis_store_state::drop_held() {
  for (auto& one : std::exchange(held_, {}))
    on_written({one.session, one.size, one.forgets, {verdict::failed, "the lease has run out"}});
}

void redis_store_state::on_written(const write_answered& msg) {
  --writes_;
  writes_size_ -= msg.size;
  if (msg.forgets)
    on_forgotten(msg);
  if (msg.answer.is == verdict::done)
    is_troubled_ = false;
  else if (msg.answer.is == verdict::foreign)
    tell_foreign(msg.session);
  else if (msg.answer.is == verdict::unknown)
    complain("there is no such session in the store");
  else if (msg.answer.is == verdict::lapsed)
    complain("the lease has run out");
  else
    complain(msg.answer.why);
  if (msg.answer.is == verdict::lapsed)
    renew();
}

/// Its new owner speaks for it, and we no more.
void redis_store_state::tell_foreign(const std::string& session) {
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

// -- forgetting ------------------------------------------------------------------------------

void redis_store_state::forget(const std::string& session) {
  foreign_.erase(session);
  note_forgotten(session);
  auto is_told = write({session, 0, true, scripts_.forget(session)});
  if (unforgotten_.size() < most_unforgotten)
    unforgotten_.emplace(session, is_told);
}

/// What its client has ended is not to come back when this node is gone.
void redis_store_state::forget_again() {
  for (auto& [session, is_told] : unforgotten_)
    if (!is_told)
      is_told = write({session, 0, true, scripts_.forget(session)});
}

void redis_store_state::on_forgotten(const write_answered& msg) {
  auto found = unforgotten_.find(msg.session);
  if (found == unforgotten_.end())
    return;
  if (msg.answer.is == verdict::failed)
    found->second = false;
  else
    unforgotten_.erase(found);
}

// -- searching -------------------------------------------------------------------------------

/// Whether Redis has heard of it or not.
void redis_store_state::note_forgotten(const std::string& session) {
  if (forgotten_.size() >= most_forgotten)
    forgotten_.clear();
  forgotten_.insert(session);
}

void redis_store_state::seek(session_sought& msg) {
  if (forgotten_.contains(msg.session))
    return self_->send(msg.to, session_found{msg.session, outcome::unknown, {}, {}, {}});
  if (searches_.size() >= most_searches && !searches_.contains(msg.session))
    return self_->send(msg.to, session_found{msg.session, outcome::unavailable, {}, {}, {}});
  auto until = now() + setup_.lease_time + search_grace;
  search one{std::move(msg.to), std::move(msg.alive), time_point::max(), until};
  if (searches_.try_emplace(msg.session, std::move(one)).second)
    ask(msg.session);
}

void redis_store_state::ask(const std::string& session) {
  client_.send(scripts_.take(session),
               [tell = teller(self_), session](const net::redis_reply& reply) { tell(read_found(session, reply)); });
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
  if (is == outcome::ours)
    foreign_.erase(msg.session);
  self_->send(node.mapped().to, session_found{std::move(msg.session), is, std::move(msg.owner), std::move(msg.record),
                                              std::move(msg.events), setup_.ours->term()});
}

} // namespace troupe::actors
