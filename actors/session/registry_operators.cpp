#include "actors/session/collectors.hpp"
#include "actors/session/registry.hpp"
#include "actors/session/session_metrics.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/ids.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace troupe::actors {

std::vector<protocol::limit_report> registry_state::limits() const {
  std::vector<protocol::limit_report> result{{"sessions", sessions_.size(), setup_.max_sessions}};
  if (setup_.limits)
    std::ranges::move(setup_.limits(), std::back_inserter(result));
  return result;
}

void registry_state::collect(broker_actor to) {
  auto asked = 1 + sessions_.size() + servers_.all().size() + (cluster_.cluster ? 2 : 0);
  collector_actor collector =
      self_->spawn<actors::collector>(std::ref(self_->at()), std::move(to), asked, setup_.brokers);
  counted own;
  own.part.problems = servers_.problems();
  own.part.limits = limits();
  self_->send(collector, std::move(own));
  if (cluster_.cluster) {
    self_->send(cluster_.cluster, report_request{collector});
    self_->send(cluster_.router, report_request{collector});
  }
  ask_all(collector);
}

void registry_state::ask_all(const collector_actor& to) const {
  for (auto& [id, one] : sessions_)
    self_->send(one.session, report_request{to});
  for (auto& one : servers_.all())
    self_->send(one.as_member.actor, report_request{to});
}

// Operators' orders to the registry.

namespace {

protocol::rejection no_such_session() { return protocol::refusal(404, "no session has this number (any more)"); }
protocol::rejection no_such_server() { return protocol::refusal(404, "no server of this name is configured"); }

std::string_view source_kind(const server_source& source) {
  if (std::holds_alternative<command_server>(source))
    return "stdio";
  return std::holds_alternative<remote_server>(source) ? "remote" : "hosted";
}

std::string_view word_of(protocol::change_server::kind how) {
  using kind = protocol::change_server::kind;
  return how == kind::restart ? "restart" : how == kind::enable ? "enable" : "disable";
}

/// Assigns reports to servers by name. If each user has its own upstream, the server itself runs nothing, and is idle
/// only while no user has one.
void fill_in(std::vector<protocol::live_server>& servers, const protocol::state_report& all) {
  auto named = [&](const std::string& name) { return std::ranges::find(servers, name, &protocol::live_server::name); };
  for (auto& one : all.servers)
    if (auto to = named(one.server); to != servers.end()) {
      if (one.state != "idle" || one.users != 0)
        ++to->states[one.state];
      to->restarts += one.restarts;
      to->users += one.users;
      to->why = one.why.empty() ? to->why : one.why;
    }
  for (auto& one : all.upstreams)
    if (auto to = named(one.server); to != servers.end())
      to->processes.push_back({one.pid, one.age, one.session});
  for (auto& one : servers)
    if (one.enabled && one.states.empty())
      one.states["idle"] = 1;
}

} // namespace

void registry_state::take(operator_asks& msg) {
  auto read = protocol::read_operator_order(msg.what);
  if (auto* no = std::get_if<protocol::rejection>(&read))
    return self_->send(msg.broker, http_rejected{std::move(*no)});
  auto& order = std::get<protocol::addressed_order>(read);
  if (order.node.empty() || order.node == setup_.node)
    return std::visit([&](auto& what) { answer(what, msg.broker); }, order.what);
  if (!cluster_.router || msg.is_passed_on)
    return self_->send(msg.broker, http_rejected{protocol::refusal(404, "the cluster has no node of this name")});
  msg.node = std::move(order.node);
  self_->send(cluster_.router, std::move(msg));
}

void registry_state::answer(const protocol::show_node&, const broker_actor& to) {
  auto node = setup_.describe_node();
  node.uptime = std::chrono::duration_cast<std::chrono::milliseconds>(self_->at().now() - began_);
  node.draining = !admission_.stopping().takes_new();
  node.max_sessions = setup_.max_sessions;
  for (auto& [id, one] : sessions_)
    ++(one.place.via == protocol::transport::stateless ? node.leases : node.sessions);
  if (pace_)
    node.drain = progress();
  auto write = [node = std::move(node)](const protocol::state_report& all) mutable -> made_answer {
    for (auto& other : all.nodes)
      node.nodes.push_back({other.name, other.draining});
    if (node.drain)
      node.drain->calls = all.calls();
    return protocol::live_node_text(node);
  };
  const std::size_t asked = (cluster_.cluster ? 1 : 0) + (pace_ ? sessions_.size() : 0);
  collector_actor collector =
      self_->spawn<actors::collector>(std::ref(self_->at()), to, asked, setup_.brokers, std::move(write));
  if (cluster_.cluster)
    self_->send(cluster_.cluster, report_request{collector});
  if (pace_)
    for (auto& [id, one] : sessions_)
      self_->send(one.session, report_request{collector});
}

// -- sessions ---------------------------------------------------------------------------

registry_state::known_session* registry_state::numbered(std::uint64_t number) {
  auto found = numbers_.find(number);
  return found == numbers_.end() ? nullptr : &sessions_.at(*found->second);
}

bool registry_state::is_shown(const std::string& id, const known_session& one,
                              const protocol::list_sessions& to) const {
  auto is_called = [&] { return one.caller && one.caller->subject == to.caller; };
  return (to.server.empty() || one.place.path == to.server) && (to.caller.empty() || is_called()) &&
         (to.id.empty() || protocol::shown(id).find(to.id) != std::string::npos) &&
         (!to.idle || one.idle->since().has_value() == *to.idle);
}

protocol::live_session registry_state::beginning_of(const std::string& id, const known_session& one) const {
  using std::chrono::milliseconds;
  const auto now = self_->at().now();
  auto result = protocol::live_session{.number = one.number,
                                       .id = protocol::shown(id),
                                       .transport = name_of(one.place.via),
                                       .server = one.place.path,
                                       .caller = one.caller ? one.caller->subject : std::string{},
                                       .age = std::chrono::duration_cast<milliseconds>(now - one.began)};
  if (auto since = one.idle->since())
    result.idle = std::chrono::duration_cast<milliseconds>(now - *since);
  return result;
}

/// Queries the sessions themselves for the rest of their descriptions.
void registry_state::describe(const std::vector<std::uint64_t>& those, const broker_actor& to,
                              lister_state::writer write) {
  std::vector<protocol::live_session> known;
  for (auto number : those)
    known.push_back(beginning_of(*numbers_.at(number), *numbered(number)));
  lister_actor lister = self_->spawn<actors::lister>(std::ref(self_->at()), to, known, std::move(write));
  for (auto& one : known)
    self_->send(numbered(one.number)->session, describe_request{one, lister});
}

void registry_state::answer(const protocol::list_sessions& what, const broker_actor& to) {
  std::vector<std::uint64_t> page;
  std::size_t total = 0;
  bool has_more = false;
  for (auto& [number, id] : numbers_)
    if (is_shown(*id, sessions_.at(*id), what)) {
      ++total;
      const auto is_on_page = number > what.after && page.size() < what.limit;
      has_more = has_more || (number > what.after && !is_on_page);
      if (is_on_page)
        page.push_back(number);
    }
  auto next = has_more ? std::optional{page.back()} : std::nullopt;
  describe(page, to, [total, next](std::vector<protocol::live_session> all) -> made_answer {
    return protocol::live_sessions_text(std::move(all), total, next);
  });
}

void registry_state::answer(const protocol::show_session& what, const broker_actor& to) {
  if (!numbered(what.number))
    return self_->send(to, http_rejected{no_such_session()});
  describe({what.number}, to, [](const std::vector<protocol::live_session>& all) {
    return all.empty() ? made_answer{no_such_session()} : protocol::live_session_text(all.front());
  });
}

void registry_state::answer(const protocol::list_calls& what, const broker_actor& to) {
  std::vector<std::uint64_t> busy;
  for (auto& [number, id] : numbers_)
    if (!sessions_.at(*id).idle->since())
      busy.push_back(number);
  describe(busy, to, [limit = what.limit](const std::vector<protocol::live_session>& all) -> made_answer {
    return protocol::live_calls_text(all, limit);
  });
}

void registry_state::answer(const protocol::end_session_now& what, const broker_actor& to) {
  auto* one = numbered(what.number);
  if (!one)
    return self_->send(to, http_rejected{no_such_session()});
  free_place(*one);
  forget_key(*one);
  self_->send(one->session, drain{.why = "an operator ended it", .at_once = true, .for_good = true});
  self_->send(to, http_reply{"{\"ended\":" + std::to_string(what.number) + "}", {}});
}

void registry_state::answer(const protocol::end_call_now& what, const broker_actor& to) {
  if (auto* one = numbered(what.session))
    self_->send(one->session, end_call{what.call, to});
  else
    self_->send(to, http_rejected{no_such_session()});
}

void registry_state::answer(const protocol::follow_session& what, const broker_actor& to) {
  auto* one = numbered(what.number);
  if (!one)
    self_->send(to, http_rejected{no_such_session()});
  else if (what.content && !setup_.shows_content)
    self_->send(to, http_rejected{protocol::refusal(
                        403, "what messages say is shown only where the configuration has gateway.admin.content")});
  else
    self_->send(one->session, follow_request{to, what.content});
}

// -- servers ----------------------------------------------------------------------------

void registry_state::answer(const protocol::list_servers& what, const broker_actor& to) {
  std::vector<protocol::live_server> servers;
  for (auto& one : configured_)
    if (what.name.empty() || one.name == what.name)
      servers.push_back({.name = one.name, .kind = source_kind(one.source), .enabled = !disabled_.contains(one.name)});
  if (!what.name.empty() && servers.empty())
    return self_->send(to, http_rejected{no_such_server()});
  for (auto& one : servers_.all())
    if (auto shown = std::ranges::find(servers, one.options.name, &protocol::live_server::name); shown != servers.end())
      shown->not_ready = one.why_not_ready;
  auto write = [servers = std::move(servers),
                alone = !what.name.empty()](const protocol::state_report& all) mutable -> made_answer {
    fill_in(servers, all);
    return alone ? protocol::live_server_text(servers.front()) : protocol::live_servers_text(servers);
  };
  auto asked = sessions_.size() + servers_.all().size();
  ask_all(self_->spawn<actors::collector>(std::ref(self_->at()), to, asked, setup_.brokers, std::move(write)));
}

void registry_state::answer(const protocol::change_server& what, const broker_actor& to) {
  using kind = protocol::change_server::kind;
  auto refuse = [&](protocol::rejection why) { self_->send(to, http_rejected{std::move(why)}); };
  if (std::ranges::find(configured_, what.name, &server_options::name) == configured_.end())
    return refuse(no_such_server());
  if (admission_.stopping().has_begun())
    return refuse(protocol::refusal(409, "the gateway is stopping"));
  auto runs = std::ranges::find_if(servers_.all(), [&](auto& one) { return one.options.name == what.name; });
  if (what.how == kind::restart) {
    if (runs == servers_.all().end())
      return refuse(protocol::refusal(409, "the server is disabled: enable it"));
    if (source_kind(runs->options.source) == "hosted")
      return refuse(protocol::refusal(409, "the server is part of the host's own program, and cannot be restarted"));
    restart(*runs);
  } else if (what.how == kind::enable ? disabled_.erase(what.name) != 0 : disabled_.insert(what.name).second) {
    change_servers(enabled_servers());
  }
  setup_.session->log(log_level::info, "an operator changes a server",
                      {{"server", what.name}, {"order", std::string{word_of(what.how)}}});
  self_->send(to, http_reply{"{\"server\":" + protocol::quoted(what.name) + ",\"asked\":\"" +
                                 std::string{word_of(what.how)} + "\"}",
                             {}});
}

/// A server restarts what several sessions share; each session restarts what it uses alone.
void registry_state::restart(const gateway_server& which) {
  const auto id = which.as_member.server.id;
  self_->send(which.as_member.actor, restart_request{id});
  for (auto& [name, one] : sessions_)
    if (one.place.is_merged() || one.place.server == id)
      self_->send(one.session, restart_request{id});
}

std::vector<server_options> registry_state::enabled_servers() const {
  std::vector<server_options> result;
  std::ranges::copy_if(configured_, std::back_inserter(result),
                       [this](auto& one) { return !disabled_.contains(one.name); });
  return result;
}

/// Replaces the configuration. A server that comes back into the configuration is enabled.
void registry_state::take(configure& msg) {
  configured_ = std::move(msg.servers);
  std::erase_if(disabled_, [this](auto& name) {
    return std::ranges::find(configured_, name, &server_options::name) == configured_.end();
  });
  change_servers(enabled_servers());
}

} // namespace troupe::actors
