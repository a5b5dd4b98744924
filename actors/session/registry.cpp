#include "actors/session/registry.hpp"

#include "actors/relayed.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/session/caller_lease.hpp"
#include "actors/session/session.hpp"
#include "protocol/access/challenge.hpp"
#include "protocol/access/server_guard.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

namespace troupe::actors {

using protocol::transport;

registry_state::registry_state(pinned<interface>* self, registry_setup setup)
    : self_{self}, setup_{std::move(setup)}, awaits_last_{setup_.on_left != nullptr},
      admission_{{setup_.max_sessions, setup_.max_sessions_each}, setup_.merge}, servers_{self,
                                                                                          std::move(
                                                                                              setup_.make_server)},
      own_end_{self->at().metrics() ? &self->at().metrics()->number(protocol::metric::unready, {"gateway"}) : nullptr},
      unready_servers_{share_of(self->at(), protocol::metric::unready, {"server"})},
      to_move_{share_of(self->at(), protocol::metric::sessions_to_move)}, reminder_{self->at()},
      began_{self->at().now()} {}

/// Counts the node as not ready: after any end of the registry, nothing new is taken.
registry_state::~registry_state() { note_own_end(true); }

registry_state::interface::behavior_type registry_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  if (setup_.join_cluster)
    join_cluster();
  return {
      [this](client_post& msg) { take(msg); },
      [this](client_listen& msg) { take(msg); },
      [this](client_delete& msg) { pass_on(msg, transport::streamable_http); },
      [this](readiness_probe& msg) { probe(msg); },
      [this](state_probe& msg) { collect(std::move(msg.broker)); },
      [this](operator_asks& msg) { take(msg); },
      [this](drain& msg) { begin_drain(msg); },
      [this](configure& msg) { take(msg); },
      [this](server_known& msg) { servers_.remember(std::move(msg)); },
      [this](name_left_out& msg) { note(std::move(msg)); },
      [this](list_part_changed& msg) { note(std::move(msg)); },
      [this](server_readiness& msg) {
        servers_.note(self_->current_sender(), std::move(msg));
        unready_servers_.set(servers_.count_unready());
      },
      [this](restore_session& msg) { restore(msg); },
      [this](tenure_lost& msg) { disown(msg); },
      [this](tenure_regained& msg) { claim(msg); },
      [this](session_regained& msg) { regain(msg); },
      [this](session_let_go& msg) { let_go(msg); },
      [this](session_taken& msg) { end_taken(msg); },
      [this](node_cut_off& msg) { change_contact(msg); },
      [this](gate_closed&) { end_router(); },
      [this](callers_stale& msg) { tell_stale(msg); },
      [this](session_judged& msg) { take(msg); },
      [this](handover_peer_known& msg) { know(msg); },
      [this](shortage_found& msg) { take(msg); },
      [this](tick&) {
        reminder_.arrived();
        go_on_draining();
      },
  };
}

// -- sessions -----------------------------------------------------------------------------------

void registry_state::take(client_post& msg) {
  if (msg.via == transport::stateless)
    return take_stateless(msg);
  if (!msg.session.empty())
    return pass_on(msg, msg.via);
  if (admission_.stopping().sends_on(msg.came != protocol::came_by::client))
    return self_->send(cluster_.router, std::move(msg));
  if (sends_new_on(msg.came))
    return self_->send(other_, std::move(msg));
  auto request = msg.body.messages.front().id;
  begin_session(msg, request, transport::streamable_http);
}

void registry_state::take(client_listen& msg) {
  if (msg.session.empty())
    begin_session(msg, {}, transport::http_sse);
  else
    pass_on(msg, transport::streamable_http);
}

template <class Message>
void registry_state::begin_session(Message& msg, const std::string& request, transport via) {
  if (!may_begin(msg, request, via))
    return;
  auto what = new_session_at(msg.server, via, msg.caller, msg.is_local);
  what.request_id = std::move(msg.request_id);
  if constexpr (requires { msg.prefix; })
    what.prefix = std::move(msg.prefix);
  if (auto since = tenure_term(); admission_.keeps(via, msg.server, holds_tenure(since)))
    keep(what, since);
  self_->send(begin(std::move(what), msg.unit, msg.counted_as), std::move(msg));
}

/// Ends an idle session, if there is one, rather than refuse the new one.
std::optional<protocol::rejection> registry_state::make_room(const std::string& address, const std::string& request) {
  admission_.places().let_stop(setup_.stopping_processes());
  auto whose = admission_.who_makes_room(address);
  if (!whose)
    return std::nullopt;
  auto* one = admission_.places().must_wait() ? nullptr : most_idle(*whose);
  if (!one)
    return admission_.refuse_for_room(address, request);
  end_for_room(*one, "it was idle, and its place was needed");
  return std::nullopt;
}

void registry_state::end_for_room(known_session& one, std::string why) {
  free_place(one);
  forget_key(one);
  self_->send(one.session, drain{.why = std::move(why), .at_once = true, .for_good = true});
}

/// Returns the longest idle session of that caller; null when all are, or just were, in use.
registry_state::known_session* registry_state::most_idle(const std::string& address) {
  known_session* result = nullptr;
  auto earliest = self_->at().now() - protocol::session_places::least_idle;
  for (auto& [id, one] : sessions_)
    if (auto since = one.address == address ? one.idle->since() : std::nullopt; since && *since <= earliest) {
      result = &one;
      earliest = *since;
    }
  return result;
}

void registry_state::free_place(known_session& one) {
  if (auto address = std::exchange(one.address, std::nullopt))
    admission_.places().give_back(*address);
}

void registry_state::forget(known_sessions::iterator one) {
  note_left(one->second);
  free_place(one->second);
  forget_key(one->second);
  numbers_.erase(one->second.number);
  sessions_.erase(one);
}

const session_actor& registry_state::begin(new_session what, std::size_t unit, const std::string& address) {
  auto server = what.server ? server_at(what.path, what.via) : nullptr;
  known_session known;
  known.place = {what.via, what.path, server ? server->as_member.server.id : 0, protocol::identity_of(what.caller)};
  known.number = ++last_number_;
  known.caller = what.caller;
  known.began = self_->at().now();
  known.kept = what.kept;
  known.idle = what.idle;
  known.address = address;
  known.key = what.key;
  known.affinity = affinity_at(what.path);
  known.judged_by = judging_at(what.path);
  admission_.places().take(address);
  auto id = what.id;
  if (cluster_.router)
    what.key = {}; // only the router knows the key's node, which changes with the cluster
  auto& at = *setup_.units[unit];
  auto self = caf::actor_cast<registry_actor>(self_);
  known.session =
      what.via == transport::stateless
          ? session_actor{spawn_linked<caller_lease_state>(self_, at, self, std::move(what), setup_.session)}
          : spawn_linked<session_state>(self_, at, self, std::move(what), setup_.session);
  auto& [kept_id, kept] = *sessions_.emplace(std::move(id), std::move(known)).first;
  ids_.emplace(kept.session.address(), &kept_id);
  numbers_.emplace(kept.number, &kept_id);
  if (!kept.key.empty())
    leases_.insert_or_assign(kept.key.text, &kept);
  if (ids_.size() == 1)
    tell_use();
  return kept.session;
}

void registry_state::restore(restore_session& msg) {
  auto refused = sessions_.contains(msg.session) ? std::nullopt : begin_again(msg);
  if (refused)
    self_->send(cluster_.store, session_given_back{msg.session, msg.taken});
  auto stops = refused && !admission_.stopping().takes_new();
  for (auto& one : msg.waiting)
    if (stops)
      take_in(self_, cluster_.router, std::move(one.what), std::move(one.broker), one.came, self_->at().number());
    else if (refused)
      self_->send(one.broker, http_rejected{protocol::refused_restore(*refused, one.came)});
    else
      take_in(self_, caf::actor_cast<registry_actor>(self_), std::move(one.what), std::move(one.broker), one.came,
              self_->at().number());
}

std::optional<protocol::rejection> registry_state::begin_again(restore_session& msg) {
  admission_.places().let_stop(setup_.stopping_processes());
  auto decided = admission_.restore(msg.record, holds_tenure(msg.term));
  if (auto why = std::get_if<protocol::rejection>(&decided))
    return std::move(*why);
  auto& record = std::get<protocol::session_record>(decided);
  auto is_owner = [&](auto& one) { return protocol::identity_of(one.what.caller) == record.owner; };
  auto asks = std::ranges::find_if(msg.waiting, is_owner);
  if (asks == msg.waiting.end())
    return protocol::session_not_found();
  auto what = new_session_at(record.path, transport::streamable_http, asks->what.caller, asks->what.is_local);
  what.id = msg.session;
  keep(what, msg.term);
  what.restored = std::make_unique<protocol::restored_session>(
      protocol::restored_session{std::move(record), std::move(msg.events)});
  begin(std::move(what), next_unit_++ % setup_.units.size(), {});
  return std::nullopt;
}

/// Hides the server from callers that may not use it. Callers that only lack scopes learn which.
std::optional<protocol::rejection> registry_state::refuse_at(const std::string& path, transport via,
                                                             const protocol::caller& who) const {
  auto one = server_at(path, via);
  if (!one || !one->as_member.access)
    return std::nullopt;
  auto may = one->as_member.access->to_server(protocol::principal_of(who));
  if (may.is == protocol::permit::kind::lacks_scopes)
    return protocol::insufficient_scope(setup_.session->scopes, may.scopes);
  return may.is == protocol::permit::kind::hidden ? std::optional{protocol::server_not_found()} : std::nullopt;
}

new_session registry_state::new_session_at(const std::string& path, transport via, protocol::caller who,
                                           bool is_local) const {
  new_session result{.id = setup_.make_id(), .via = via, .path = path, .caller = std::move(who), .is_local = is_local};
  if (auto one = server_at(path, via)) {
    result.server = one->as_member.actor;
    result.access = one->as_member.access;
    result.peer = one->as_member.peer;
    result.roots = one->as_member.roots;
    result.request = one->request;
    return result;
  }
  result.members = servers_.members();
  result.request = servers_.longest_request();
  return result;
}

template <class Message>
void registry_state::pass_on(Message& msg, transport via) {
  auto found = sessions_.find(msg.session);
  if (found == sessions_.end())
    look_elsewhere(msg);
  else if (found->second.place.takes(via, msg.server, protocol::identity_of(msg.caller)))
    self_->send(found->second.session, std::move(msg));
  else
    self_->send(msg.broker, http_rejected{protocol::session_not_found()});
}

void registry_state::tell_stale(const callers_stale& those) {
  for (auto& [id, one] : sessions_)
    if (std::ranges::find(those.owners, one.place.owner) != those.owners.end())
      self_->send(one.session, caller_stale{});
}

// -- other nodes --------------------------------------------------------------------------------

template <class Message>
void registry_state::look_elsewhere(Message& msg) {
  if (cluster_.router)
    self_->send(cluster_.router, std::move(msg));
  else if (other_ && msg.came == protocol::came_by::client)
    self_->send(other_, std::move(msg));
  else
    self_->send(msg.broker, http_rejected{protocol::session_not_found()});
}

// -- servers ------------------------------------------------------------------------------------

void registry_state::change_servers(std::vector<server_options> wanted) {
  auto gone = servers_.change(std::move(wanted));
  unready_servers_.set(servers_.count_unready());
  admission_.paths().serve(servers_.paths());
  for (auto& one : gone)
    retire(one);
  end_misplaced_leases();
  tell_members();
}

/// Ignores removed servers, which may end. A configured server has failed: the next sessions get a new actor for it.
void registry_state::replace_server(const caf::actor_addr& gone) {
  auto failed = admission_.stopping().has_begun() ? std::nullopt : servers_.replace(gone);
  if (!failed)
    return;
  end_leases_of(*failed);
  tell_members();
}

void registry_state::tell_members() {
  for (auto& [id, one] : sessions_)
    if (one.place.is_merged())
      self_->send(one.session, members_changed{servers_.members()});
}

/// Ends sessions for this server alone once their calls have ended.
void registry_state::retire(const gateway_server& gone) {
  self_->send(gone.as_member.actor, server_retired{});
  for (auto& [id, one] : sessions_)
    if (one.place.server == gone.as_member.server.id) {
      forget_key(one);
      self_->send(one.session, drain{.why = "its server was removed from the configuration", .for_good = true});
    }
}

void registry_state::note(name_left_out&& what) {
  if (auto text = servers_.note(std::move(what)))
    setup_.session->log(log_level::warning, "two servers share a name", {{"why", *text}});
}

void registry_state::note(list_part_changed&& what) {
  if (auto text = servers_.note(std::move(what), self_->at().now()))
    setup_.session->log(log_level::warning, "a merged list lacks a server's part", {{"why", *text}});
}

/// Returns the single server that a path leads to; null when it leads to merged servers or to none.
const gateway_server* registry_state::server_at(const std::string& path, transport via) const {
  auto place = admission_.paths().find_one(path, via == transport::stateless);
  return place ? &servers_.all()[*place] : nullptr;
}

// -- the end of an actor ------------------------------------------------------------------------

void registry_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == self_->address())
    return self_->quit(msg.reason);
  if (is_of_cluster(msg.source))
    return self_->quit(msg.reason);
  if (lose_other(msg.source))
    return end_when_drained();
  auto found = ids_.find(msg.source);
  if (found == ids_.end())
    return replace_server(msg.source);
  if (found->second)
    forget(sessions_.find(*found->second));
  ids_.erase(found);
  if (is_unused())
    tell_use();
  end_when_drained();
}

} // namespace troupe::actors
