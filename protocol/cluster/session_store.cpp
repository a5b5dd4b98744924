#include "protocol/cluster/session_store.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::protocol {

namespace {

using verdict = store_verdict;
using moment = session_searches::moment;

store_fate fate_of(verdict is) {
  switch (is) {
  case verdict::done:
    return store_fate::done;
  case verdict::lost:
    return store_fate::lost;
  case verdict::foreign:
  case verdict::unknown:
    return store_fate::refused;
  default:
    return store_fate::failed;
  }
}

/// Reason for the log why something is not kept; empty if another part reports it.
std::optional<std::string> trouble_of(const store_answer& answer) {
  switch (answer.is) {
  case verdict::unknown:
    return "there is no such session in the store";
  case verdict::lapsed:
    return "the lease has run out";
  case verdict::failed:
    return answer.why;
  default:
    return std::nullopt;
  }
}

/// Whether a session that this task writes to goes on here: only then it may be claimed.
bool may_hold(store_task what) {
  return what == store_task::record || what == store_task::event || what == store_task::clear;
}

/// `foreign`: a node took the session before the answer to a first attempt was lost. `unknown`: it has no owner.
bool has_released(verdict is) { return is == verdict::done || is == verdict::foreign || is == verdict::unknown; }

void add_note(std::optional<log_note> line, store_effects& out) {
  if (line)
    out.push_back(std::move(*line));
}

void append_effects(store_effects more, store_effects& out) {
  out.insert(out.end(), std::move_iterator{more.begin()}, std::move_iterator{more.end()});
}

} // namespace

session_store::session_store(std::chrono::milliseconds tenure_time, const store_limits& waiting)
    : tenure_{tenure_time}, writes_{waiting}, searches_{tenure_time} {}

// -- the sessions of this node ---------------------------------------------------------------

void session_store::remember(const std::string& session, std::string record) {
  writes_.remember(session, std::move(record));
}

void session_store::remember_moved(const std::string& session, std::string record, session_claim how) {
  if (writes_.lacks_claim(session))
    writes_.claim(session, std::move(record), how);
  else
    writes_.remember(session, std::move(record));
}

void session_store::claim(const std::string& session, std::string record, session_claim how) {
  writes_.claim(session, std::move(record), how);
}

store_effects session_store::keep(const std::string& session, saved_event what) {
  store_effects result;
  if (!writes_.keep(session, std::move(what)))
    add_note(failure_log_.not_kept("too much waits to be written"), result);
  return result;
}

/// A session that has ended must not return when this node is gone. Until the store has forgotten it, searches for it
/// wait for that write.
void session_store::forget(const std::string& session, bool is_held) {
  failure_log_.forget(session);
  writes_.forget(session, is_held);
}

void session_store::give_back(const std::string& session, std::uint64_t taken) { writes_.give_back(session, taken); }

// -- searches --------------------------------------------------------------------------------

store_effects session_store::searched(const std::string& session, std::vector<std::string> alive,
                                      std::string uncertain_owner, time_point now) {
  if (searches_.extract_unforgotten(session))
    writes_.forget(session);
  return searches_.searched(session, std::move(alive), std::move(uncertain_owner), can_ask(session, now), now);
}

/// Waits for the pending writes of the session: they may give it back.
moment session_store::can_ask(const std::string& session, time_point now) const {
  if (!tenure_.reaches_all())
    return tenure_.may_reach_soon(now) ? moment::later : moment::never;
  if (tenure_.is_beginning())
    return moment::later;
  if (!writes_.waits(session))
    return moment::now;
  return tenure_.is_held() ? moment::later : moment::never;
}

void session_store::search_due(time_point now, store_effects& out) {
  for (auto& session : searches_.due(now))
    append_effects(searches_.ask(session, can_ask(session, now), now), out);
}

store_effects session_store::found(search_result&& what, time_point now) {
  auto result = follow(tenure_.tick(now));
  append_effects(follow(searches_.found(std::move(what), now)), result);
  return result;
}

// -- the store -------------------------------------------------------------------------------

store_effects session_store::reached(store_connection by, time_point now) { return tenure_.reached(by, now); }

store_effects session_store::lost(store_connection by, const std::string& why, time_point now) {
  return tenure_.lost(by, why, now);
}

store_effects session_store::renewed(const store_answer& answer, time_point now) {
  if (answer.is == verdict::emptied || answer.is == verdict::moved) {
    writes_.store_is_new();
    searches_.store_is_new();
  }
  auto result = tenure_.answered(answer, now);
  if (answer.is == verdict::failed)
    log_failure(answer, result);
  return follow(std::move(result));
}

/// A `lost` write is not reported here but with its connection, and is repeated.
store_effects session_store::written(const std::string& session, store_task what, const store_answer& answer,
                                     time_point now, std::uint64_t term) {
  store_effects result;
  writes_.carried_out(session, what, fate_of(answer.is));
  auto is_claim = what == store_task::claim;
  auto is_over = is_claim && answer.is == verdict::unknown && writes_.has_recorded(session);
  if (!is_claim || answer.is != verdict::unknown)
    log_failure(answer, result);
  auto grows = what == store_task::event || is_claim;
  if (grows && answer.is == verdict::done && !writes_.holds(session, answer.bytes))
    add_note(failure_log_.not_kept("its sessions have too many events"), result);
  if (what == store_task::release && has_released(answer.is))
    result.push_back(let_go{session});
  else if (answer.is == verdict::foreign && may_hold(what) && tenure_.is_held())
    doubt(session, result);
  else if (answer.is == verdict::foreign)
    disown_foreign(session, result);
  else if (what == store_task::forget && !writes_.forgets(session))
    forgot(session, answer.is == verdict::done || answer.is == verdict::unknown, result);
  else if (is_over)
    give_up_unknown(session, result);
  else if (is_claim && answer.is == verdict::unknown)
    tenure_.claim_later(now);
  else if (is_claim && answer.is == verdict::done)
    result.push_back(claimed{session, term});
  if (answer.is == verdict::lapsed)
    append_effects(tenure_.refused(now), result);
  if (searches_.end_pause(session, now))
    search_due(now, result);
  return result;
}

void session_store::log_failure(const store_answer& answer, store_effects& out) {
  if (answer.is == verdict::done)
    failure_log_.kept();
  if (auto why = trouble_of(answer))
    add_note(failure_log_.not_kept(*why), out);
}

void session_store::forgot(const std::string& session, bool is_done, store_effects& out) {
  searches_.end(session, is_done);
  out.push_back(session_gone{session, is_done});
}

/// The store had the session, and lost it: another node took the session and has seen its end.
void session_store::give_up_unknown(const std::string& session, store_effects& out) {
  writes_.drop(session);
  out.push_back(end_foreign_session{session});
}

/// The store gives no session of a node to another while its tenure runs, but its data may be older.
void session_store::doubt(const std::string& session, store_effects& out) {
  writes_.doubt(session);
  out.push_back(doubt_session{session});
}

/// The new owner answers for the session; this node stops.
void session_store::disown_foreign(const std::string& session, store_effects& out) {
  writes_.drop(session);
  out.push_back(end_foreign_session{session});
  add_note(failure_log_.foreign(session), out);
}

store_effects session_store::tick(time_point now) {
  auto result = follow(tenure_.tick(now));
  search_due(now, result);
  return result;
}

// -- effects of the parts --------------------------------------------------------------------

/// Feeds the effects of one part to the others as facts.
store_effects session_store::follow(store_effects effects) {
  for (auto& one : effects)
    follow(one);
  return effects;
}

/// After the end of the tenure other nodes may take our sessions, so pending writes are void. A session taken again has
/// newer data in the store than our last writes.
void session_store::follow(const store_effect& effect) {
  if (std::holds_alternative<end_tenure>(effect)) {
    writes_.drop_all();
    searches_.tenure_ended();
  } else if (std::holds_alternative<move_tenure>(effect)) {
    writes_.await_claims();
    searches_.tenure_moved();
  } else if (std::holds_alternative<extend_tenure>(effect)) {
    writes_.try_again();
    searches_.tenure_runs();
  } else if (auto told = std::get_if<search_outcome>(&effect); told && told->is == search_outcome::outcome::ours) {
    failure_log_.forget(told->session);
    tenure_.took(told->taken);
    writes_.take_over(told->session);
  }
}

std::optional<store_write> session_store::next_write() { return tenure_.is_open() ? writes_.next() : std::nullopt; }

std::optional<store_write> session_store::next_write_unlimited() {
  return tenure_.is_open() ? writes_.next_unlimited() : std::nullopt;
}

time_point session_store::deadline() const { return std::min(tenure_.deadline(), searches_.deadline()); }

} // namespace troupe::protocol
