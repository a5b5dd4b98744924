#include "protocol/cluster/tenure.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace troupe::protocol {

namespace {

using weight = log_note::weight;

} // namespace

bool tenure::reaches_all() const { return std::all_of(reached_.begin(), reached_.end(), std::identity{}); }

// -- the connections to the store -------------------------------------------------------------

store_effects tenure::reached(store_connection by, time_point now) { return change(by, true, {}, now); }

store_effects tenure::lost(store_connection by, const std::string& why, time_point now) {
  return change(by, false, why, now);
}

/// A store that is writable again may be another one, which does not know the tenure.
store_effects tenure::change(store_connection by, bool is_reached, const std::string& why_lost, time_point now) {
  store_effects result;
  reached_[static_cast<std::size_t>(by)] = is_reached;
  if (reaches_all())
    unreached_since_.reset();
  else if (!unreached_since_)
    unreached_since_ = now;
  if (by == store_connection::writes) {
    is_open_ = false;
    writable_since_ = now;
    writer_ += is_reached ? 1 : 0;
  }
  note_reached(why_lost, result);
  renew(now, result);
  return result;
}

void tenure::note_reached(const std::string& why_lost, store_effects& out) {
  auto is_reached = reaches_all();
  if (noted_reached_ == is_reached || (!is_reached && why_lost.empty()))
    return;
  noted_reached_ = is_reached;
  if (is_reached)
    out.push_back(log_note{weight::info, "the store is reached", {}});
  else
    out.push_back(log_note{weight::warning, "the store is lost", {{"why", why_lost}}});
}

// -- renewal ---------------------------------------------------------------------------------

/// Begins a tenure only if sessions can be written and searched for.
bool tenure::may_renew() const {
  return reaches(store_connection::tenure) && !is_renewing_ && (is_held() || reaches_all());
}

time_point tenure::next_renewal() const { return may_renew() ? asked_ + time_ / 5 : time_point::max(); }

void tenure::renew(time_point now, store_effects& out) {
  if (!may_renew())
    return;
  is_renewing_ = true;
  asked_ = now;
  out.push_back(renew_tenure{++asked_number_, seen_, writer_});
}

store_effects tenure::refused(time_point now) {
  store_effects result;
  renew(now, result);
  return result;
}

store_effects tenure::tick(time_point now) {
  store_effects result;
  check(now, result);
  if (next_renewal() <= now)
    renew(now, result);
  if (is_held() && claims_at_ && now >= *claims_at_) {
    claims_at_.reset();
    claim_pause_ = usual_claim_pause();
    result.push_back(claim_again{.is_new_store = true});
  }
  return result;
}

time_point tenure::deadline() const {
  auto claims_at = is_held() && claims_at_ ? *claims_at_ : time_point::max();
  return std::min({next_renewal(), until_.value_or(time_point::max()), claims_at});
}

// -- start and end ---------------------------------------------------------------------------

/// A tenure that had ended in the store runs again, but other nodes may have taken sessions in between.
store_effects tenure::answered(const store_answer& answer, time_point now) {
  store_effects result;
  is_renewing_ = false;
  check(now, result);
  auto is_new_store = answer.is == store_verdict::emptied || answer.is == store_verdict::moved;
  if (answer.is == store_verdict::lapsed && is_held())
    end(result);
  if (is_new_store && is_held())
    move(now, result);
  auto is_away = !is_held() && was_lost_;
  if (answer.is == store_verdict::done || answer.is == store_verdict::lapsed || is_new_store) {
    see(answer);
    extend(now, result);
  }
  if (is_away && is_held())
    regain(is_new_store, now, result);
  return result;
}

void tenure::see(const store_answer& answer) {
  seen_.renewal = asked_number_;
  if (!answer.process.empty())
    seen_.process = answer.process;
}

/// The renewal has begun a pause in which no node takes a session of another: this node keeps its sessions in the
/// pause. The pause is counted like a tenure. Sessions of earlier terms are claimed later.
void tenure::move(time_point now, store_effects& out) {
  out.push_back(move_tenure{asked_ + pause_for(time_) * 9 / 10});
  out.push_back(log_note{weight::warning, "the store has lost data: this node claims its sessions again", {}});
  out.push_back(claim_again{.is_new_store = true, .is_held = true});
  if (was_lost_)
    claim_in_new_store(now);
}

void tenure::claim_later(time_point now) { claims_at_ = now + claim_pause_; }

/// If data are lost again before the claims, no store may know which sessions other nodes have taken and ended. Those
/// nodes notify this one when they reach it. The pause is over before `untold_for` is, by a clock that is a tenth slow.
void tenure::claim_in_new_store(time_point now) {
  if (claims_at_)
    claim_pause_ = std::max(claim_pause_, lost_lives::limits::patience_with(time_) * 9 / 10);
  claim_later(now);
}

/// Claims that were due later wait anew: another node may have taken a session since, and may notify this one.
void tenure::regain(bool is_new_store, time_point now, store_effects& out) {
  if (is_new_store)
    claim_in_new_store(now);
  else if (claims_at_)
    claim_later(now);
  else
    out.push_back(claim_again{});
}

/// Writes wait for a confirmation requested after their connection was up: an earlier one may be of another store.
void tenure::extend(time_point now, store_effects& out) {
  auto until = asked_ + time_ * 9 / 10;
  if (until <= now)
    return;
  out.push_back(extend_tenure{until});
  if (!std::exchange(until_, until) && was_lost_)
    out.push_back(log_note{weight::info, "the store knows again that this node lives", {}});
  is_open_ = reaches(store_connection::writes) && asked_ >= writable_since_;
  if (!is_open_ && reaches(store_connection::writes))
    renew(now, out);
}

void tenure::check(time_point now, store_effects& out) {
  if (until_ && now >= *until_)
    end(out);
}

void tenure::end(store_effects& out) {
  until_.reset();
  is_open_ = false;
  was_lost_ = true;
  out.push_back(end_tenure{});
  out.push_back(
      log_note{weight::warning, "the store may take this node for lost: sessions that it keeps wait here", {}});
}

} // namespace troupe::protocol
