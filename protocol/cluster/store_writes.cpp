#include "protocol/cluster/store_writes.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// False for a stream's role. Roles are small, and a restored session needs them to know the requests to answer.
bool is_message(const saved_event& one) { return one.position != 0; }

bool has_record(store_task what) { return what == store_task::claim || what == store_task::record; }

} // namespace

// -- pending tasks of one session ------------------------------------------------------------

bool store_writes::one::waits() const {
  return !events.is_empty() || claiming.is_open() || remembering.is_open() || clearing.is_sent ||
         forgetting.is_open() || giving_back.is_open() || releasing.is_open();
}

/// Next task of the session. The record goes before events, for which the store has no place otherwise.
std::optional<store_task> store_writes::one::task() const {
  if (forgetting.is_due())
    return store_task::forget;
  if (giving_back.is_due())
    return store_task::give_back;
  if (claiming.is_open() || is_unclaimed)
    return claiming.is_due() ? std::optional{store_task::claim} : std::nullopt;
  if (remembering.is_due())
    return store_task::record;
  if (sent_events == events.size() && !((is_too_much || releasing.is_due()) && clearing.is_due()))
    return may_release() ? std::optional{store_task::release} : std::nullopt;
  return clearing.is_due() ? store_task::clear : store_task::event;
}

/// Releases only after all writes are done: some may have to be repeated, which only the owner may do.
bool store_writes::one::may_release() const {
  return releasing.is_due() && events.is_empty() && !claiming.is_open() && !remembering.is_open() &&
         !clearing.is_open();
}

store_writes::single_task& store_writes::one::single_task_for(store_task what) {
  switch (what) {
  case store_task::claim:
    return claiming;
  case store_task::forget:
    return forgetting;
  case store_task::give_back:
    return giving_back;
  case store_task::clear:
    return clearing;
  case store_task::release:
    return releasing;
  default:
    return remembering;
  }
}

void store_writes::push(one& of, saved_event what) {
  ++events_;
  of.events.push(std::move(what));
}

/// Removes the first event, which was sent.
void store_writes::pop(one& of) {
  --events_;
  of.events.pop();
  --of.sent_events;
}

template <class Condition>
void store_writes::drop_events(one& of, Condition which) {
  events_ -= of.events.size();
  for (auto& event : of.events.extract_all())
    if (of.events.size() < of.sent_events || !which(event))
      push(of, std::move(event));
}

/// Drops all pending writes except `forget` and `give_back`.
void store_writes::drop_news(one& of) {
  drop_events(of, [](const saved_event&) { return true; });
  of.record.clear();
  of.claiming.is_wanted = of.remembering.is_wanted = of.clearing.is_wanted = of.releasing.is_wanted = false;
  of.is_unclaimed = false;
}

// -- facts -----------------------------------------------------------------------------------

void store_writes::remember(const std::string& session, std::string record) {
  auto& of = entry(session);
  of.record = std::move(record);
  of.is_dropped = false;
  of.remembering.is_wanted = true;
  queue(session, of);
}

void store_writes::claim(const std::string& session, std::string record, session_claim how) {
  auto& of = entry(session);
  of.record = std::move(record);
  of.is_dropped = false;
  of.claim = how;
  of.claiming.is_wanted = true;
  of.is_unclaimed = false;
  queue(session, of);
}

void store_writes::await_claims() {
  for (auto& [session, of] : all_)
    of.is_unclaimed = !of.claiming.is_wanted;
}

void store_writes::await_claim(const std::string& session) {
  auto& of = entry(session);
  of.is_unclaimed = of.is_unclaimed || lacks_claim(session);
}

bool store_writes::lacks_claim(const std::string& session) const {
  auto found = all_.find(session);
  return !recorded_.contains(session) && (found == all_.end() || !found->second.claiming.is_open());
}

void store_writes::doubt(const std::string& session) {
  recorded_.erase(session);
  if (auto found = all_.find(session); found != all_.end())
    found->second.is_unclaimed = !found->second.claiming.is_open();
}

bool store_writes::fits(const one& of, std::size_t size) const {
  auto fits_one =
      of.events.size() < limits_.events_of_one && (of.events.is_empty() || of.events.fits(size, limits_.bytes_of_one));
  return fits_one && events_ < limits_.events && bytes_->bytes() + size <= limits_.bytes;
}

/// Drops all messages of the session's streams, queued and stored.
void store_writes::clear(const std::string& session, one& of) {
  drop_events(of, is_message);
  of.clearing.is_wanted = true;
  forget_kept(session);
}

/// Ignores a session that is about to lose its events: answers to earlier event writes still arrive.
bool store_writes::holds(const std::string& session, std::size_t bytes) {
  if (auto found = all_.find(session); found != all_.end() && found->second.is_discarding())
    return true;
  forget_kept(session);
  kept_[session] = bytes;
  kept_bytes_ += bytes;
  if (kept_bytes_ <= limits_.kept_bytes)
    return true;
  auto most = std::ranges::max_element(kept_, {}, [](auto& each) { return each.second; })->first;
  auto& of = entry(most);
  clear(most, of);
  of.is_too_much = true;
  queue(most, of);
  return false;
}

void store_writes::forget_kept(const std::string& session) {
  if (auto gone = kept_.extract(session))
    kept_bytes_ -= gone.mapped();
}

bool store_writes::keep(const std::string& session, saved_event what) {
  auto& of = entry(session);
  auto size = what.text.size();
  auto all_fit = fits(of, size);
  if (!all_fit)
    clear(session, of);
  if (fits(of, size))
    push(of, std::move(what));
  queue(session, of);
  return all_fit;
}

void store_writes::forget(const std::string& session, bool is_held) {
  auto& of = entry(session);
  drop_news(of);
  forget_kept(session);
  recorded_.erase(session);
  of.is_dropped = true;
  of.giving_back.is_wanted = false;
  of.forgetting.is_wanted = true;
  of.claim = {.is_held = is_held};
  queue(session, of);
}

void store_writes::give_back(const std::string& session, std::uint64_t taken) {
  auto& of = entry(session);
  recorded_.erase(session);
  of.taken = std::max(of.taken, taken);
  of.giving_back.is_wanted = true;
  queue(session, of);
}

void store_writes::release(const std::string& session) {
  forget_kept(session);
  auto& of = entry(session);
  of.releasing.is_wanted = true;
  queue(session, of);
}

void store_writes::take_over(const std::string& session) {
  drop(session);
  recorded_.insert(session);
}

void store_writes::drop(const std::string& session) {
  forget_kept(session);
  recorded_.erase(session);
  if (auto found = all_.find(session); found != all_.end()) {
    drop_news(found->second);
    found->second.is_dropped = true;
  }
  tidy(session);
}

/// Clears a session's stored events if some were dropped: more may still be on their way to us.
void store_writes::drop_all() {
  kept_.clear();
  kept_bytes_ = 0;
  std::erase_if(all_, [](auto& each) { return !each.second.waits(); });
  for (auto& [session, of] : all_) {
    auto before = of.events.size();
    drop_news(of);
    of.claim.is_held = false;
    of.clearing.is_wanted = of.events.size() != before;
  }
  std::erase_if(all_, [](auto& each) { return !each.second.waits() && !each.second.clearing.is_wanted; });
}

void store_writes::carried_out(const std::string& session, store_task what, store_fate fate) {
  auto found = all_.find(session);
  if (found == all_.end())
    return;
  --sent_;
  if (what == store_task::event)
    end_event(found->second, fate);
  else
    end_task(session, found->second, what, fate);
  if (found->second.may_release())
    queue(session, found->second);
  tidy(session);
}

/// Ends the first event in flight, or, if `lost`, the last: all behind a lost one are lost, too. Events to be cleared
/// are not sent again behind the clearing.
void store_writes::end_event(one& of, store_fate fate) {
  auto is_lost = fate == store_fate::lost;
  sent_bytes_ -= (is_lost ? of.events.items().at(of.sent_events - 1) : of.events.items().front()).text.size();
  if (is_lost) {
    --of.sent_events;
    if (of.clearing.is_wanted)
      drop_events(of, is_message);
    return;
  }
  if (fate == store_fate::failed)
    of.clearing.is_wanted = true;
  pop(of);
}

/// A newer record is queued at once; a failed task waits for `try_again`.
void store_writes::end_task(const std::string& session, one& of, store_task what, store_fate fate) {
  auto& it = of.single_task_for(what);
  it.is_sent = false;
  if (has_record(what))
    sent_bytes_ -= std::exchange(of.sent_record, 0);
  auto is_open = fate == store_fate::failed || fate == store_fate::lost;
  if (has_record(what) && !is_open && !it.is_wanted && !of.remembering.is_wanted)
    of.record.clear();
  if (what == store_task::forget && !is_open)
    drop_news(of);
  if (has_record(what) && fate == store_fate::done && !of.is_dropped)
    recorded_.insert(session);
  if (what == store_task::release && !is_open)
    recorded_.erase(session);
  if (!is_open)
    return queue(session, of);
  auto is_void =
      (has_record(what) && of.record.empty()) || (what == store_task::forget && all_.size() > limits_.unforgotten);
  it.is_wanted = it.is_wanted || !is_void;
}

void store_writes::tidy(const std::string& session) {
  auto found = all_.find(session);
  if (found != all_.end() && !found->second.waits() && !found->second.clearing.is_wanted)
    all_.erase(found);
}

void store_writes::try_again() {
  for (auto& [session, of] : all_)
    queue(session, of);
}

// -- pending writes --------------------------------------------------------------------------

void store_writes::queue(const std::string& session, one& of) {
  if (of.in_turn || !of.task())
    return;
  of.in_turn = true;
  turns_.push_back(session);
}

std::optional<store_write> store_writes::next() {
  auto has_room = sent_ < limits_.sent && sent_bytes_ < limits_.sent_bytes;
  return has_room ? next_unlimited() : std::nullopt;
}

std::optional<store_write> store_writes::next_unlimited() {
  while (!turns_.empty()) {
    auto session = std::move(turns_.front());
    turns_.pop_front();
    auto found = all_.find(session);
    if (found == all_.end())
      continue;
    auto& of = found->second;
    of.in_turn = false;
    if (auto what = of.task()) {
      auto result = begin(session, of, *what);
      queue(session, of);
      return result;
    }
  }
  return std::nullopt;
}

/// Sent events stay queued: they may have to be sent again.
store_write store_writes::begin(const std::string& session, one& of, store_task what) {
  ++sent_;
  if (what == store_task::event) {
    auto& event = of.events.items().at(of.sent_events++);
    sent_bytes_ += event.text.size();
    return {what, session, {}, event};
  }
  of.single_task_for(what) = {.is_wanted = false, .is_sent = true};
  if (what == store_task::clear)
    of.is_too_much = false;
  if (!has_record(what))
    return {.what = what,
            .session = session,
            .taken = of.taken,
            .claim = what == store_task::forget ? of.claim : session_claim{}};
  of.sent_record = of.record.size();
  sent_bytes_ += of.sent_record;
  // A session that this store has recorded is known to it, unless another node has taken and ended it since.
  auto claim = of.claim;
  claim.is_new_store = claim.is_new_store && !has_recorded(session);
  return {.what = what, .session = session, .record = of.record, .claim = claim};
}

bool store_writes::forgets(const std::string& session) const {
  auto found = all_.find(session);
  return found != all_.end() && found->second.forgetting.is_open();
}

bool store_writes::waits(const std::string& session) const {
  auto found = all_.find(session);
  return found != all_.end() && found->second.waits();
}

} // namespace troupe::protocol
