#include "actors/session/registry.hpp"

#include "actors/relayed.hpp"
#include "actors/session/collector.hpp"
#include "protocol/refused_for_now.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

using protocol::transport;
using protocol::unavailable;

namespace {

/// When a client that found all places taken may try again.
constexpr std::chrono::seconds busy_pause{5};

} // namespace

registry_state::registry_state(pinned<interface>* self, registry_setup setup) : self_{self}, setup_{std::move(setup)} {}

registry_actor::behavior_type registry_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  if (setup_.join_cluster)
    join_cluster();
  return {
      [this](client_post& msg) { take(msg); },
      [this](client_listen& msg) { take(msg); },
      [this](client_delete& msg) { pass_on(msg, transport::streamable_http); },
      [this](readiness_probe& msg) { probe(msg); },
      [this](state_probe& msg) { collect(std::move(msg.broker)); },
      [this](drain& msg) { begin_drain(msg); },
      [this](configure& msg) { change_servers(std::move(msg.servers)); },
      [this](server_known& msg) { remember(std::move(msg)); },
      [this](restore_session& msg) { restore(msg); },
      [this](lease_lost& msg) { disown(msg); },
  };
}

/// Where there are other nodes, they serve our sessions with us until the end of the grace, and take the new ones.
void registry_state::begin_drain(const drain& msg) {
  auto is_news = !std::exchange(draining_, true);
  is_hurried_ = is_hurried_ || msg.at_once;
  if (cluster_.cluster) {
    self_->send(cluster_.cluster, node_drains{});
    self_->send(cluster_.router, node_drains{});
  }
  if (!cluster_.cluster || msg.at_once)
    for (auto& [id, one] : sessions_)
      self_->send(one.session, msg);
  else if (is_news)
    move_listeners();
  end_when_drained();
}

/// A session of HTTP+SSE has but the one stream, and lives with it.
void registry_state::move_listeners() {
  for (auto& [id, one] : sessions_)
    if (one.via == transport::streamable_http)
      self_->send(one.session, listeners_move{});
}

void registry_state::disown(const lease_lost& what) {
  for (auto& [id, one] : sessions_)
    if (what.session.empty() ? may_be_lost(one) : what.session == id)
      self_->send(one.session, session_disowned{});
}

/// What began by a lease that was there again before we heard that the one before had run out stays.
bool registry_state::may_be_lost(const known_session& one) const {
  return !one.holds_lease || !one.holds_lease(self_->at().now());
}

void registry_state::remember(server_known&& what) {
  for (auto& [options, request, member] : servers_) {
    if (member.server.id != what.server)
      continue;
    member.server.slow = what.result.empty();
    if (!member.server.slow)
      member.server.known = std::move(what.result);
  }
}

void registry_state::probe(readiness_probe& msg) {
  if (draining_)
    self_->send(msg.broker, http_rejected{protocol::gateway_stops()});
  else if (cluster_.router)
    self_->send(cluster_.router, std::move(msg));
  else
    self_->send(msg.broker, http_ready{});
}

// -- sessions -----------------------------------------------------------------------------------

void registry_state::take(client_post& msg) {
  if (!msg.session.empty())
    return pass_on(msg, msg.via);
  if (draining_ && cluster_.router && !msg.relayed)
    return self_->send(cluster_.router, std::move(msg));
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
  if (auto why = refuse_session(msg.server, request))
    return self_->send(msg.broker, http_rejected{std::move(*why)});
  auto purpose = purpose_of(msg.server, via);
  keep(purpose, lease_term());
  self_->send(begin(std::move(purpose), msg.unit), std::move(msg));
}

const session_actor& registry_state::begin(session_purpose purpose, std::size_t unit) {
  auto server = purpose.server ? server_named(purpose.path) : nullptr;
  known_session known{{}, purpose.via, purpose.path, server ? server->as_member.server.id : 0, purpose.holds_lease};
  auto id = purpose.id;
  auto& at = *setup_.units[unit];
  known.session = spawn_linked<session_state>(self_, at, caf::actor_cast<registry_actor>(self_), std::move(purpose),
                                              setup_.session);
  auto& [kept_id, kept] = *sessions_.emplace(std::move(id), std::move(known)).first;
  ids_.emplace(kept.session.address(), &kept_id);
  return kept.session;
}

void registry_state::restore(restore_session& msg) {
  auto refused = sessions_.contains(msg.session) ? std::nullopt : begin_again(msg);
  if (refused)
    self_->send(cluster_.store, session_given_back{msg.session, msg.taken});
  for (auto& one : msg.waiting)
    if (refused)
      self_->send(one.broker, http_rejected{*refused});
    else
      take_in(self_, caf::actor_cast<registry_actor>(self_), std::move(one.what), std::move(one.broker), one.relayed,
              self_->at().number());
}

/// What can never be restored here is gone. What only cannot be now, another node may have, or this one later.
std::optional<protocol::rejection> registry_state::begin_again(restore_session& msg) {
  auto record = protocol::read_record(msg.record);
  if (!record || !is_kept(record->path))
    return protocol::session_not_found();
  if (auto why = refuse_session(record->path, {}))
    return why;
  auto purpose = purpose_of(record->path, transport::streamable_http);
  purpose.id = msg.session;
  keep(purpose, msg.term);
  if (!purpose.store)
    return protocol::session_moves();
  purpose.restored = protocol::restored_session{std::move(*record), std::move(msg.events)};
  begin(std::move(purpose), next_unit_++ % setup_.units.size());
  return std::nullopt;
}

/// A session of HTTP+SSE lives with its connection; and what nobody else can know of lives without being kept. The
/// lease must have run ever since the term in which the session became ours.
void registry_state::keep(session_purpose& purpose, std::uint64_t since) const {
  if (!cluster_.store || purpose.via != transport::streamable_http || !is_kept(purpose.path))
    return;
  if (cluster_.lease && !cluster_.lease->holds(self_->at().now(), since))
    return;
  purpose.store = cluster_.store;
  if (cluster_.lease)
    purpose.holds_lease = [lease = cluster_.lease, since](protocol::time_point now) {
      return lease->holds(now, since);
    };
}

/// One of several servers that cannot begin again would leave a session in pieces.
bool registry_state::is_kept(const std::string& path) const {
  auto restores = [](auto& one) { return one.options.recovery == recovery::restore; };
  auto one = server_named(path);
  return one ? restores(*one) : !servers_.empty() && std::all_of(servers_.begin(), servers_.end(), restores);
}

std::optional<protocol::rejection> registry_state::refuse_session(const std::string& path,
                                                                  const std::string& request) const {
  if (!path.empty() && !server_named(path))
    return protocol::server_not_found();
  if (draining_)
    return protocol::gateway_stops(request);
  if (sessions_.size() >= setup_.max_sessions)
    return unavailable("too many sessions; --max-sessions allows more", request, busy_pause);
  return std::nullopt;
}

session_purpose registry_state::purpose_of(const std::string& path, transport via) const {
  session_purpose result{setup_.make_id(), via, path, {}, {}, {}};
  auto one = server_named(path);
  if (one) {
    result.server = one->as_member.actor;
    result.request = one->request;
    return result;
  }
  result.members = members();
  for (auto& each : servers_)
    result.request = std::max(result.request, each.request);
  return result;
}

/// A session of the other transport or of another path is not known here.
template <class Message>
void registry_state::pass_on(Message& msg, transport via) {
  auto found = sessions_.find(msg.session);
  if (found == sessions_.end())
    look_elsewhere(msg);
  else if (found->second.via != via || found->second.path != msg.server)
    self_->send(msg.broker, http_rejected{protocol::session_not_found()});
  else
    self_->send(found->second.session, std::move(msg));
}

// -- other nodes --------------------------------------------------------------------------------

void registry_state::join_cluster() {
  cluster_ = setup_.join_cluster(caf::actor_cast<registry_actor>(self_));
  self_->link_to(cluster_.router);
  self_->link_to(cluster_.cluster);
  if (cluster_.store)
    self_->link_to(cluster_.store);
}

/// Without them, nothing that this node says of other nodes would be true.
bool registry_state::is_of_cluster(const caf::actor_addr& who) const {
  return (cluster_.router && who == cluster_.router.address()) ||
         (cluster_.cluster && who == cluster_.cluster.address()) || (cluster_.store && who == cluster_.store.address());
}

template <class Message>
void registry_state::look_elsewhere(Message& msg) {
  if (cluster_.router)
    self_->send(cluster_.router, std::move(msg));
  else
    self_->send(msg.broker, http_rejected{protocol::session_not_found()});
}

// -- servers ------------------------------------------------------------------------------------

/// Those that are the same stay as they are, with all that they hold.
void registry_state::change_servers(std::vector<server_options> wanted) {
  auto before = std::exchange(servers_, {});
  for (auto& options : wanted) {
    auto same = std::find_if(before.begin(), before.end(), [&](auto& one) { return one.options == options; });
    if (same == before.end()) {
      servers_.push_back(begin_server(std::move(options)));
    } else {
      servers_.push_back(std::move(*same));
      before.erase(same);
    }
  }
  for (auto& gone : before)
    retire(gone);
  tell_members();
}

registry_state::known_server registry_state::begin_server(server_options options) {
  auto setup = setup_.make_server(options);
  server_actor actor = spawn_linked<server_state>(self_, self_->at(), self_->address(), setup);
  auto ends = options.on_loss == on_loss::end_sessions;
  auto prefix = options.prefixed ? options.prefix.empty() ? setup->name : options.prefix : std::string{};
  protocol::catalog_server listed{++last_server_, setup->name, std::move(prefix), options.eager, ends, {}};
  return {std::move(options), setup->rules.request, {std::move(listed), std::move(actor)}};
}

/// A server that was removed may go. One that is in use has failed: the next sessions find another in its place.
void registry_state::replace_server(const caf::actor_addr& gone) {
  auto found =
      std::find_if(servers_.begin(), servers_.end(), [&](auto& one) { return one.as_member.actor.address() == gone; });
  if (found == servers_.end() || draining_)
    return;
  *found = begin_server(std::move(found->options));
  tell_members();
}

void registry_state::tell_members() {
  for (auto& [id, one] : sessions_)
    if (one.server == 0)
      self_->send(one.session, members_changed{members()});
}

/// Sessions that are for this server alone end when their calls have.
void registry_state::retire(const known_server& gone) {
  self_->send(gone.as_member.actor, server_retired{});
  for (auto& [id, one] : sessions_)
    if (one.server == gone.as_member.server.id)
      self_->send(one.session, drain{.why = "its server was removed from the configuration", .for_good = true});
}

/// The one server that a path leads to; none when it leads to those that are merged, or to nobody.
const registry_state::known_server* registry_state::server_named(const std::string& path) const {
  if (path.empty())
    return merges() ? nullptr : &servers_.front();
  auto found =
      std::find_if(servers_.begin(), servers_.end(), [&](auto& one) { return one.as_member.server.name == path; });
  return found == servers_.end() ? nullptr : &*found;
}

std::vector<member> registry_state::members() const {
  std::vector<member> result;
  for (auto& one : servers_)
    result.push_back(one.as_member);
  return result;
}

// -- all of them --------------------------------------------------------------------------------

void registry_state::collect(broker_actor to) {
  auto asked = sessions_.size() + servers_.size() + (cluster_.cluster ? 2 : 0);
  collector_actor collector =
      self_->spawn<actors::collector>(std::ref(self_->at()), std::move(to), asked, setup_.brokers);
  if (cluster_.cluster) {
    self_->send(cluster_.cluster, report_request{collector});
    self_->send(cluster_.router, report_request{collector});
  }
  for (auto& [id, one] : sessions_)
    self_->send(one.session, report_request{collector});
  for (auto& one : servers_)
    self_->send(one.as_member.actor, report_request{collector});
}

void registry_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == self_->address())
    return self_->quit(msg.reason);
  if (is_of_cluster(msg.source))
    return self_->quit(msg.reason);
  auto found = ids_.find(msg.source);
  if (found == ids_.end())
    return replace_server(msg.source);
  sessions_.erase(sessions_.find(*found->second));
  ids_.erase(found);
  end_when_drained();
}

/// What this node has passed on to others is answered through it yet: its router ends then, and the registry with it.
void registry_state::end_when_drained() {
  if (!draining_ || !sessions_.empty())
    return;
  if (cluster_.router)
    self_->send(cluster_.router, node_drains{.is_last = true, .at_once = is_hurried_});
  else
    self_->quit(caf::exit_reason::user_shutdown);
}

} // namespace troupe::actors
