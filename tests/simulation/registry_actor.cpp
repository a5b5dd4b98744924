#include "tests/simulation/registry_actor.hpp"

#include "tests/simulation/node.hpp"

#include "protocol/session/session_record.hpp"

#include <algorithm>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr std::size_t most_sessions = 10'000;

} // namespace

registry_actor::registry_actor(std::shared_ptr<process> at, node& of, bool has_store)
    : actor{std::move(at)}, node_{of}, admission_{session_places{most_sessions, 0}, false} {
  if (!node_.is_alone())
    admission_.join_cluster(has_store);
  admission_.paths().serve({{"server", true, false}});
}

std::shared_ptr<session_actor> registry_actor::find(const std::string& id) const {
  auto found = book_.find(id);
  return found == book_.end() ? nullptr : found->second;
}

// -- requests --------------------------------------------------------------------------------

void registry_actor::submit(request what) {
  post([this, what = std::move(what)]() mutable { handle(what); });
}

void registry_actor::handle(request& what) {
  if (what.via == transport::stateless)
    return handle_stateless(what);
  auto is_relayed = what.came != request_source::client;
  if (what.session.empty() && admission_.stopping().sends_on(is_relayed))
    return node_.router().submit(std::move(what));
  if (what.session.empty() && sends_new_on())
    return other_->submit(std::move(what));
  if (what.session.empty())
    return begin_session(what);
  auto found = find(what.session);
  if (!found)
    forward_elsewhere(what);
  else if (found->owner() == what.owner || node_.has(planted::owner_unchecked))
    found->submit(std::move(what));
  else
    what.from->tell({.is = answer::kind::rejected, .why = session_not_found()});
}

void registry_actor::forward_elsewhere(request& what) {
  if (!node_.is_alone())
    node_.router().submit(std::move(what));
  else if (asks_other(what.came))
    other_->submit(std::move(what));
  else
    what.from->tell({.is = answer::kind::rejected, .why = session_not_found()});
}

void registry_actor::begin_session(request& what) {
  if (auto why = admission_.refuse({}, what.body.messages.front().id))
    return what.from->tell({.is = answer::kind::rejected, .why = std::move(*why)});
  std::shared_ptr<persistence> kept;
  if (auto tenure = node_.tenure(); admission_.keeps(transport::streamable_http, {}, tenure && tenure->holds()))
    kept = std::make_shared<persistence>(persistence{tenure, tenure->term()});
  begin(node_.make_id(), what.owner, std::move(kept), std::nullopt)->submit(std::move(what));
}

std::shared_ptr<session_actor> registry_actor::begin(const std::string& id, const std::string& owner,
                                                     std::shared_ptr<persistence> kept,
                                                     std::optional<restored_session> before) {
  at().note(before ? "restores" : "begins", shown(id));
  node_.checks().begins(id, before.has_value(), at().name);
  auto one = std::make_shared<session_actor>(home(), node_, id, owner, std::move(kept));
  book_[id] = one;
  node_.checks().enter(id, one);
  one->begin(std::move(before));
  if (book_.size() + let_go_.size() == 1)
    report_use();
  return one;
}

// -- leases ----------------------------------------------------------------------------------

void registry_actor::handle_stateless(request& what) {
  if (what.session.empty())
    return find_lease(what);
  auto found = leases_.find(what.session);
  if (found == leases_.end())
    find_named_lease(what);
  else if (found->second->owner() == what.owner)
    found->second->submit(std::move(what));
  else
    what.from->tell({.is = answer::kind::rejected, .why = state_refused(what.body.messages.front().id)});
}

void registry_actor::find_lease(request& what) {
  auto key = key_of(what);
  auto is_routed = node_.is_alone() || what.came != request_source::client;
  if (key && !is_routed) {
    what.key = std::move(key->text);
    return node_.router().submit(std::move(what));
  }
  if (!key && admission_.stopping().sends_on(is_routed))
    return node_.router().submit(std::move(what));
  auto known = key ? leases_by_key_.find(key->text) : leases_by_key_.end();
  if (known != leases_by_key_.end())
    known->second->submit(std::move(what));
  else if (sends_new_on())
    other_->submit(std::move(what));
  else
    begin_lease(what, std::move(key));
}

/// Callers without a name share no lease.
std::optional<lease_key> registry_actor::key_of(const request& what) const {
  auto envelope = read_envelope(what.body.messages.front());
  auto* read = std::get_if<request_envelope>(&envelope);
  if (!read || what.owner.empty())
    return std::nullopt;
  auto owner = node_.has(planted::lease_of_all) ? "all" : lease_owner(what.owner, false, read->can);
  return lease_key_by(lease_affinity::principal, "server", owner, *read);
}

void registry_actor::find_named_lease(request& what) {
  auto is_own = has_own_state(what.body.messages.front(), node_.seal_for(what.owner));
  if (is_own && !node_.is_alone())
    return node_.router().submit(std::move(what));
  if (asks_other(what.came))
    return other_->submit(std::move(what));
  if (is_own)
    return what.from->tell({.is = answer::kind::rejected, .why = state_refused(what.body.messages.front().id)});
  what.session.clear();
  find_lease(what);
}

void registry_actor::begin_lease(request& what, std::optional<lease_key> key) {
  if (auto why = admission_.refuse({}, what.body.messages.front().id))
    return what.from->tell({.is = answer::kind::rejected, .why = std::move(*why)});
  auto id = node_.make_id();
  auto one = std::make_shared<lease_actor>(home(), node_, id, what.owner, key.value_or(lease_key{}));
  leases_.emplace(id, one);
  if (key)
    leases_by_key_[key->text] = one;
  node_.checks().leases().begins(id, what.owner, at().name);
  if (leases_.size() == 1)
    report_use();
  one->submit(std::move(what));
}

/// No further request finds the lease by its key.
void registry_actor::close(const std::shared_ptr<lease_actor>& one, const session_closing& how) {
  leases_by_key_.erase(one->key());
  one->close(how);
}

void registry_actor::close_leases(const session_closing& how) {
  for (auto& [id, one] : leases_)
    close(one, how);
}

void registry_actor::lease_ended(const std::string& lease) {
  post([this, lease] {
    auto gone = leases_.extract(lease);
    if (gone.empty())
      return;
    gone.mapped()->released();
    if (auto known = leases_by_key_.find(gone.mapped()->key());
        known != leases_by_key_.end() && known->second == gone.mapped())
      leases_by_key_.erase(known);
    if (is_unused())
      report_use();
    end_when_drained();
  });
}

// -- sessions of other nodes -----------------------------------------------------------------

void registry_actor::search(const std::string& session, ask_store question) {
  post([this, session, question = std::move(question)] {
    if (!find(session))
      return node_.store()->search(session, question.alive, question.uncertain_owner);
    node_.checks().count("searches for sessions that are here");
    node_.router().found({session, search_outcome::outcome::here}, 0);
  });
}

void registry_actor::alive(std::vector<std::string> nodes) {
  post([this, nodes = std::move(nodes)] { node_.store()->alive(nodes); });
}

void registry_actor::restore(search_outcome what, std::uint64_t term, std::vector<request> waiting) {
  post([this, what = std::move(what), term, waiting = std::move(waiting)]() mutable {
    handle_restore(what, term, waiting);
  });
}

void registry_actor::handle_restore(search_outcome& what, std::uint64_t term, std::vector<request>& waiting) {
  auto refused = find(what.session) ? std::nullopt : begin_again(what, term, waiting);
  if (refused)
    node_.store()->returned(what.session, what.taken);
  for (auto& one : waiting)
    if (refused && admission_.stopping().sends_on(one.came != request_source::client))
      node_.router().submit(std::move(one));
    else if (refused)
      one.from->tell({.is = answer::kind::rejected, .why = refused_restore(*refused, one.came)});
    else
      submit(std::move(one));
}

std::optional<rejection> registry_actor::begin_again(search_outcome& what, std::uint64_t term,
                                                     const std::vector<request>& waiting) {
  auto held = node_.tenure();
  auto decided = admission_.restore(what.record, held && held->holds(term));
  if (auto* why = std::get_if<rejection>(&decided))
    return std::move(*why);
  auto* record = &std::get<session_record>(decided);
  auto is_owner = [&](auto& one) { return one.owner == record->owner; };
  if (std::ranges::none_of(waiting, is_owner))
    return session_not_found();
  auto kept = std::make_shared<persistence>(persistence{std::move(held), term});
  auto owner = record->owner;
  auto offset = static_cast<std::uint32_t>(at().time.luck().below(restored_session::most_offset));
  begin(what.session, owner, std::move(kept), restored_session{std::move(*record), std::move(what.events), offset});
  return std::nullopt;
}

void registry_actor::let_go(const std::string& session) {
  post([this, session] {
    auto gone = book_.extract(session);
    if (gone.empty())
      return;
    gone.mapped()->released();
    let_go_.emplace(gone.mapped().get(), std::move(gone.mapped()));
  });
}

void registry_actor::gone(const std::string& session, bool is_done) {
  post([this, session, is_done] {
    if (auto one = find(session))
      one->forgotten(is_done);
  });
}

void registry_actor::retired(const std::string& session, std::shared_ptr<session_actor> who) {
  session_ended(session, who.get());
  post([who = std::move(who)] { who->released(); });
}

void registry_actor::session_ended(const std::string& session, const session_actor* who) {
  post([this, session, who] {
    if (auto found = book_.find(session); found != book_.end() && found->second.get() == who)
      book_.erase(found);
    let_go_.erase(who);
    if (is_unused())
      report_use();
    end_when_drained();
  });
}

// -- the other process of a handover ----------------------------------------------------------

void registry_actor::know(std::shared_ptr<peer_actor> other, bool has_handed_over) {
  post([this, other = std::move(other), has_handed_over] {
    is_other_lost_ = false;
    other_ = other;
    has_handed_over_ = has_handed_over;
    if (has_handed_over)
      close_leases({.why = "another process has taken over"});
    report_use();
  });
}

void registry_actor::lose_other() {
  post([this] {
    is_other_lost_ = true;
    report_use();
  });
}

void registry_actor::other_ended(const peer_actor* who) {
  post([this, who] {
    if (other_.get() != who)
      return;
    other_ = nullptr;
    report_use();
    end_when_drained();
  });
}

void registry_actor::report_use() {
  if (node_.is_alone())
    node_.upgrade().use(!is_unused() && !node_.has(planted::left_early), other_ && !is_other_lost_);
}

// -- ownership -------------------------------------------------------------------------------

void registry_actor::disown(const std::string& session) {
  post([this, session] {
    if (auto one = find(session))
      one->disown();
    else if (session.empty() && (!cut_off_.empty() || admission_.stopping().has_begun()))
      give_up_doubtful();
  });
}

void registry_actor::give_up_doubtful() {
  if (auto held = node_.tenure(); !held || held->holds())
    return;
  for (auto& [id, one] : book_)
    if (may_be_lost(*one))
      one->disown();
}

void registry_actor::end_taken(const std::string& session) {
  post([this, session] {
    auto one = find(session);
    if (!one || !one->kept() || one->kept()->is_doubted)
      return;
    if (may_be_lost(*one))
      return one->disown();
    one->kept()->is_doubted = true;
    one->claim({.term = one->kept()->tenure->term(), .is_held = true});
  });
}

void registry_actor::change_contact(const std::string& side, bool is_cut_off) {
  post([this, side, is_cut_off] {
    if (!is_cut_off)
      return static_cast<void>(cut_off_.erase(side));
    cut_off_.insert(side);
    give_up_doubtful();
  });
}

void registry_actor::claim(session_claim how) {
  post([this, how] {
    for (auto& [id, one] : book_)
      if (one->kept() && (!how.is_held || has_held_tenure(*one)))
        one->claim(how);
  });
}

void registry_actor::regain(const std::string& session, std::uint64_t term) {
  post([this, session, term] {
    auto one = find(session);
    if (!one || !one->kept() || term < one->kept()->term)
      return;
    one->kept()->term = term;
    one->kept()->is_doubted = false;
    one->regained();
    if (admission_.stopping().moves())
      one->depart();
  });
}

// -- the end ---------------------------------------------------------------------------------

void registry_actor::drain(drain_step step, std::optional<std::chrono::milliseconds> grace) {
  post([this, step, grace] {
    if (step == drain_step::close_sessions)
      close_sessions({.grace = grace});
    else
      drain_now(step);
  });
}

void registry_actor::close_sessions(const session_closing& how) {
  for (auto& [id, one] : book_)
    one->close(how);
}

void registry_actor::drain_now(drain_step step) {
  using sessions = gateway_drain::sessions;
  auto& stopping = admission_.stopping();
  auto at_once = step == drain_step::at_once;
  auto what = step == drain_step::late ? stopping.late() : stopping.begin(at_once);
  is_last_ = is_last_ || step == drain_step::last;
  if (other_)
    other_->drains(false, false);
  if (!node_.is_alone()) {
    node_.cluster().drains();
    node_.router().drains(false, false);
  }
  if (what != sessions::stay)
    close_leases({.at_once = what == sessions::end && at_once});
  if (what == sessions::end)
    close_sessions({.at_once = at_once});
  else if (what == sessions::move)
    move_sessions();
  end_when_drained();
}

void registry_actor::move_sessions() {
  give_up_doubtful();
  for (auto& [id, one] : book_)
    one->depart();
}

/// Answers of other nodes still pass through the router: it ends after them, and this actor with it.
void registry_actor::end_when_drained() {
  auto& stopping = admission_.stopping();
  if (!stopping.has_begun() || !is_unused() || has_ended())
    return;
  if (other_)
    return other_->drains(true, stopping.is_hurried());
  if (node_.is_alone())
    return quit();
  if (!std::exchange(has_left_, true))
    node_.stopping().left();
  if (is_last_ || stopping.is_hurried())
    node_.gate().close();
}

/// Sent after all requests of other nodes.
void registry_actor::gate_closed() {
  post([this] { node_.router().drains(true, admission_.stopping().is_hurried()); });
}

void registry_actor::stop() {
  post([this] { quit(); });
}

/// Sessions, leases, the router and the cluster actor end with the registry.
void registry_actor::ended() {
  leases_by_key_.clear();
  for (auto& [id, one] : std::exchange(leases_, {}))
    one->stop();
  for (auto& [id, one] : std::exchange(book_, {}))
    one->stop();
  for (auto& [who, one] : std::exchange(let_go_, {}))
    one->stop();
  if (node_.is_alone())
    return node_.upgrade().registry_ended();
  node_.router().stop();
  node_.cluster().leave();
  if (node_.store())
    node_.store()->end();
  node_.stopping().registry_ended();
}

} // namespace troupe::tests::simulation
