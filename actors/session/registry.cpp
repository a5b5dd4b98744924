#include "actors/session/registry.hpp"

#include "actors/relayed.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/session/caller_lease.hpp"
#include "actors/session/session.hpp"
#include "actors/session/session_servers.hpp"
#include "net/crypto.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace troupe::actors {

using protocol::transport;

registry_state::registry_state(pinned<interface>* self, registry_setup setup)
    : parts_{self, std::move(setup)}, keys_{parts_}, queue_{parts_}, ownership_{parts_}, changes_{parts_, keys_},
      drain_{parts_, ownership_, queue_}, operators_{parts_, changes_, drain_} {}

registry_state::interface::behavior_type registry_state::make_behavior() {
  parts_.self->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  if (parts_.setup.join_cluster)
    join_cluster();
  return {
      [this](client_post& msg) { handle(msg); },
      [this](client_listen& msg) { handle(msg); },
      [this](client_delete& msg) { pass_on(msg); },
      [this](readiness_probe& msg) { drain_.probe(msg); },
      [this](state_probe& msg) { operators_.collect(std::move(msg.broker)); },
      [this](admin_request& msg) { operators_.handle(msg); },
      [this](drain& msg) { drain_.begin(msg); },
      [this](configure& msg) { changes_.configure(msg); },
      [this](server_known& msg) { parts_.servers.remember(std::move(msg)); },
      [this](name_omitted& msg) { changes_.note(std::move(msg)); },
      [this](list_part_changed& msg) { changes_.note(std::move(msg)); },
      [this](server_readiness& msg) { changes_.note(std::move(msg), parts_.self->current_sender()); },
      [this](session_search& msg) { search(msg); },
      [this](nodes_alive& msg) { parts_.self->send(parts_.cluster.store, std::move(msg)); },
      [this](restore_session& msg) { restore(msg); },
      [this](tenure_lost& msg) { ownership_.disown(msg); },
      [this](tenure_regained& msg) { ownership_.claim(msg); },
      [this](session_regained& msg) { ownership_.regain(msg); },
      [this](session_let_go& msg) { let_go(msg); },
      [this](session_gone& msg) { ownership_.pass_on(msg); },
      [this](session_taken& msg) { ownership_.end_taken(msg); },
      [this](node_cut_off& msg) { ownership_.change_contact(msg); },
      [this](gate_closed&) { drain_.end_router(); },
      [this](callers_revoked& msg) { notify_revoked(msg); },
      [this](session_decided& msg) { handle(msg); },
      [this](handover_peer_known& msg) { handle(msg); },
      [this](shortage_found& msg) { queue_.end_one_for(msg); },
      [this](tick&) { drain_.on_timer(); },
  };
}

// -- sessions -----------------------------------------------------------------------------------

void registry_state::handle(client_post& msg) {
  if (msg.head.via == transport::stateless)
    return handle_stateless(msg);
  if (!msg.head.session.empty())
    return pass_on(msg);
  if (parts_.admission.stopping().sends_on(msg.came != protocol::request_source::client))
    return parts_.self->send(parts_.cluster.router, std::move(msg));
  if (sends_new_on())
    return parts_.self->send(parts_.other, std::move(msg));
  begin_session(msg);
}

/// The stream of a new HTTP+SSE session is the session: at the other process it must not depend on this one.
void registry_state::handle(client_listen& msg) {
  if (!msg.head.session.empty())
    pass_on(msg);
  else if (sends_new_on())
    parts_.self->send(msg.broker, http_rejected{protocol::another_process_serves()});
  else
    begin_session(msg);
}

template <class Message>
void registry_state::begin_session(Message& msg) {
  if (!queue_.may_begin(msg))
    return;
  auto& of = msg.head;
  auto what = new_session_at(of.server, of.via, of.caller, of.is_local);
  what.request_id = std::move(msg.request_id);
  if constexpr (requires { msg.prefix; })
    what.prefix = std::move(msg.prefix);
  if (auto since = ownership_.term(); parts_.admission.keeps(of.via, of.server, ownership_.holds_tenure(since)))
    ownership_.keep(what, since);
  parts_.self->send(begin(std::move(what), msg.unit, of.counted_as), std::move(msg));
}

const session_actor& registry_state::begin(new_session what, std::size_t unit, const std::string& address) {
  auto server = what.server ? parts_.server_at(what.path, what.via) : nullptr;
  known_session known;
  known.binding = {what.via, what.path, server ? server->as_member.server.id : 0, protocol::identity_of(what.caller)};
  known.caller = what.caller;
  known.began = parts_.now();
  known.kept = what.kept;
  known.idle = what.idle;
  known.address = address;
  known.key = what.key;
  known.affinity = keys_.affinity_at(what.path);
  known.rule_servers = keys_.rule_servers_at(what.path);
  auto id = what.id;
  if (parts_.cluster.router)
    what.key = {}; // only the router knows the key's node, which changes with the cluster
  auto& at = *parts_.setup.units[unit];
  auto self = parts_.handle();
  known.session = what.via == transport::stateless
                      ? session_actor{spawn_linked<caller_lease_state>(parts_.self, at, self, std::move(what),
                                                                       parts_.setup.session)}
                      : spawn_linked<session_state>(parts_.self, at, self, std::move(what), parts_.setup.session);
  auto& entered = parts_.book.add(std::move(id), std::move(known));
  if (parts_.book.alive() == 1)
    report_use();
  return entered.session;
}

new_session registry_state::new_session_at(const std::string& path, transport via, protocol::caller who,
                                           bool is_local) const {
  new_session result{
      .id = parts_.setup.make_id(), .via = via, .path = path, .caller = std::move(who), .is_local = is_local};
  if (auto one = parts_.server_at(path, via)) {
    result.server = one->as_member.actor;
    result.access = one->as_member.access;
    result.peer = one->as_member.peer;
    result.roots = one->as_member.roots;
    result.request = one->request;
    return result;
  }
  result.members = parts_.servers.members();
  result.request = parts_.servers.longest_request();
  return result;
}

template <class Message>
void registry_state::pass_on(Message& msg) {
  auto* found = parts_.book.find(msg.head.session);
  if (!found)
    forward_elsewhere(msg);
  else if (found->binding.accepts(msg.head.via, msg.head.server, protocol::identity_of(msg.head.caller)))
    parts_.self->send(found->session, std::move(msg));
  else
    parts_.self->send(msg.broker, http_rejected{protocol::session_not_found()});
}

void registry_state::notify_revoked(const callers_revoked& msg) {
  for (auto& [id, one] : parts_.book.all())
    if (std::ranges::find(msg.owners, one.binding.owner) != msg.owners.end())
      parts_.self->send(one.session, caller_revoked{});
}

/// Checks everything again: meanwhile another request may have begun the caller's lease, or the server may be gone.
void registry_state::handle(session_decided& msg) {
  if (!queue_.awaits(msg.question))
    return;
  if (auto what = queue_.decided(msg))
    queue_.resume(std::move(*what),
                  [this](admission_queue::request& any) { std::visit([this](auto& one) { this->handle(one); }, any); });
  if (drain_.is_unused())
    report_use();
  drain_.end_when_drained();
}

/// `session_released` comes after all that was sent to the session before.
void registry_state::let_go(const session_let_go& what) {
  auto* one = parts_.book.find(what.session);
  if (!one)
    return;
  parts_.self->send(one->session, session_released{});
  if (!what.is_over)
    drain_.left(one->number);
  parts_.book.let_go(what.session);
}

/// The session may have been restored after the request was sent on. The store would say that it has just become this
/// node's, and a node that drains would give it back.
void registry_state::search(session_search& msg) {
  if (parts_.book.find(msg.session))
    parts_.self->send(msg.to, session_found{{msg.session, protocol::search_outcome::outcome::here}});
  else
    parts_.self->send(parts_.cluster.store, std::move(msg));
}

void registry_state::restore(restore_session& msg) {
  auto refused = parts_.book.find(msg.session) ? std::nullopt : begin_again(msg);
  if (refused)
    parts_.self->send(parts_.cluster.store, session_returned{msg.session, msg.taken});
  for (auto& one : msg.waiting)
    if (refused && parts_.admission.stopping().sends_on(one.came != protocol::request_source::client))
      submit_request(parts_.self, parts_.cluster.router, std::move(one.what), std::move(one.broker), one.came,
                     parts_.self->at().number());
    else if (refused)
      parts_.self->send(one.broker, http_rejected{protocol::refused_restore(*refused, one.came)});
    else
      submit_request(parts_.self, parts_.handle(), std::move(one.what), std::move(one.broker), one.came,
                     parts_.self->at().number());
}

std::optional<protocol::rejection> registry_state::begin_again(restore_session& msg) {
  parts_.admission.places().set_stopping(parts_.setup.stopping_processes());
  auto decided = parts_.admission.restore(msg.record, ownership_.holds_tenure(msg.term));
  if (auto why = std::get_if<protocol::rejection>(&decided))
    return std::move(*why);
  auto& record = std::get<protocol::session_record>(decided);
  auto is_owner = [&](auto& one) { return protocol::identity_of(one.what.head.caller) == record.owner; };
  auto asks = std::ranges::find_if(msg.waiting, is_owner);
  if (asks == msg.waiting.end())
    return protocol::session_not_found();
  auto what = new_session_at(record.path, transport::streamable_http, asks->what.head.caller, asks->what.head.is_local);
  what.id = msg.session;
  ownership_.keep(what, msg.term);
  auto offset = static_cast<std::uint32_t>(net::random_64() % protocol::restored_session::most_offset);
  what.restored = std::make_unique<protocol::restored_session>(
      protocol::restored_session{std::move(record), std::move(msg.events), offset});
  begin(std::move(what), next_unit_++ % parts_.setup.units.size(), {});
  return std::nullopt;
}

// -- leases -------------------------------------------------------------------------------------

/// A retry goes to the lease that its state names, even if its client would get another lease now.
void registry_state::handle_stateless(client_post& msg) {
  if (msg.head.session.empty())
    find_lease(msg);
  else
    pass_to_lease(msg);
}

/// The router knows which node has a key. A request from another node stays here, whatever that node knew.
void registry_state::find_lease(client_post& msg) {
  auto key = keys_.key_of(msg);
  auto is_routed = !parts_.cluster.router || msg.came != protocol::request_source::client;
  if (key && !is_routed)
    return parts_.self->send(parts_.cluster.router, lease_lookup{std::move(msg), std::move(*key)});
  if (!key && parts_.admission.stopping().sends_on(is_routed))
    return parts_.self->send(parts_.cluster.router, std::move(msg));
  auto* known = key ? parts_.book.find_lease(key->text) : nullptr;
  if (!known && sends_new_on())
    return parts_.self->send(parts_.other, std::move(msg));
  if (!known)
    return begin_lease(msg, std::move(key));
  parts_.self->send(known->session, std::move(msg));
}

void registry_state::pass_to_lease(client_post& msg) {
  auto* found = parts_.book.find(msg.head.session);
  if (!found)
    return find_named_lease(msg);
  if (found->binding.accepts(msg.head.via, msg.head.server, protocol::identity_of(msg.head.caller)))
    parts_.self->send(found->session, std::move(msg));
  else
    refuse_state(msg);
}

/// The lease is on another node, has ended, or its state comes from a server that is such a gateway itself. The other
/// process of a handover has its own seals: only it can tell.
void registry_state::find_named_lease(client_post& msg) {
  auto is_own = protocol::has_own_state(msg.body.messages.front(), seal_for(msg.head.caller, parts_.setup.session));
  if (is_own && parts_.cluster.router)
    return parts_.self->send(parts_.cluster.router, std::move(msg));
  if (parts_.asks_other(msg.came))
    return parts_.self->send(parts_.other, std::move(msg));
  if (is_own)
    return refuse_state(msg);
  msg.head.session.clear();
  find_lease(msg);
}

void registry_state::refuse_state(const client_post& msg) {
  parts_.self->send(msg.broker, http_rejected{protocol::state_refused(msg.body.messages.front().id)});
}

void registry_state::begin_lease(client_post& msg, std::optional<protocol::lease_key> key) {
  auto is_counted = queue_.is_resuming(); // before the host was queried
  if (auto why = is_counted ? std::nullopt : parts_.setup.limiter->initialize(msg.head.counted_as, parts_.now()))
    return parts_.self->send(msg.broker, http_rejected{std::move(*why)});
  if (!queue_.may_begin(msg))
    return;
  auto& lease = begin(new_lease_for(msg, std::move(key)), msg.unit, msg.head.counted_as);
  parts_.self->send(lease, std::move(msg));
}

/// Returns the parameters of a new lease. Without a key, the lease ends with its one request.
new_session registry_state::new_lease_for(const client_post& msg, std::optional<protocol::lease_key> key) const {
  auto& of = msg.head;
  auto result = new_session_at(of.server, of.via, of.caller, of.is_local);
  result.can = msg.envelope->can;
  result.lease_time = key ? parts_.setup.session->lease_time : std::chrono::milliseconds::zero();
  result.passes = key || keys_.is_met_again(of.server);
  result.key = std::move(key).value_or(protocol::lease_key{});
  result.is_anonymous_remote = of.is_anonymous_remote;
  result.request_id = msg.request_id;
  return result;
}

// -- other nodes, and the other process of a handover -------------------------------------------

void registry_state::join_cluster() {
  parts_.cluster = parts_.setup.join_cluster(parts_.handle());
  parts_.self->link_to(parts_.cluster.router);
  parts_.self->link_to(parts_.cluster.cluster);
  if (parts_.cluster.store)
    parts_.self->link_to(parts_.cluster.store);
  parts_.admission.join_cluster(bool{parts_.cluster.store});
}

/// True for the actors without which this node's view of other nodes would be wrong: the registry ends with them.
bool registry_state::is_of_cluster(const caf::actor_addr& who) const {
  return (parts_.cluster.router && who == parts_.cluster.router.address()) ||
         (parts_.cluster.cluster && who == parts_.cluster.cluster.address()) ||
         (parts_.cluster.store && who == parts_.cluster.store.address());
}

template <class Message>
void registry_state::forward_elsewhere(Message& msg) {
  if (parts_.cluster.router)
    parts_.self->send(parts_.cluster.router, std::move(msg));
  else if (parts_.asks_other(msg.came))
    parts_.self->send(parts_.other, std::move(msg));
  else
    parts_.self->send(msg.broker, http_rejected{protocol::session_not_found()});
}

/// Links to the other process; its end does not end the registry. Leases do not outlast a handover: their callers
/// have others at the process that has taken over.
void registry_state::handle(handover_peer_known& msg) {
  parts_.is_other_lost = msg.is_lost;
  if (msg.is_lost)
    return report_use();
  parts_.other = std::move(msg.who);
  parts_.has_handed_over = msg.has_taken_over;
  parts_.self->link_to(parts_.other);
  if (parts_.has_handed_over)
    ownership_.close_leases("another process has taken over");
  report_use();
}

bool registry_state::lose_other(const caf::actor_addr& gone) {
  if (!parts_.other || gone != parts_.other.address())
    return false;
  parts_.other = nullptr;
  report_use();
  return true;
}

void registry_state::report_use() {
  if (parts_.setup.on_use)
    parts_.setup.on_use(!drain_.is_unused(), parts_.other && !parts_.is_other_lost);
}

void registry_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == parts_.self->address() || is_of_cluster(msg.source))
    return parts_.self->quit(msg.reason);
  if (lose_other(msg.source))
    return drain_.end_when_drained();
  if (!parts_.book.remove(msg.source))
    return changes_.replace(msg.source);
  if (drain_.is_unused())
    report_use();
  drain_.end_when_drained();
}

} // namespace troupe::actors
