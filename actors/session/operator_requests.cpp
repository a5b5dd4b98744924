#include "actors/session/operator_requests.hpp"

#include "actors/session/session_metrics.hpp"
#include "protocol/ids.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

namespace troupe::actors {

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
      if (to->why.empty())
        to->why = one.why;
    }
  for (auto& one : all.upstreams)
    if (auto to = named(one.server); to != servers.end())
      to->processes.push_back({one.pid, one.age, one.session, one.users});
  for (auto& one : servers)
    if (one.enabled && one.states.empty())
      one.states["idle"] = 1;
}

/// Most processes that are measured for one answer, descendants included: each takes time on this thread.
constexpr std::size_t most_measured = 200;

void measure(std::vector<protocol::live_process>& processes, const process_meter& meter) {
  std::size_t measured = 0;
  for (auto& one : processes) {
    if (one.pid == 0 || !meter || measured >= most_measured)
      continue;
    one.uses = meter(one.pid);
    measured += one.uses ? one.uses->processes : 1;
  }
}

std::string readiness_text(const protocol::state_report& all, const std::vector<protocol::live_server>* servers) {
  auto result = R"({"status":")" + std::string{all.not_ready.empty() ? "ok" : "unready"} + R"(","reasons":)" +
                unready_text(all.not_ready);
  if (servers)
    result += R"(,"servers":)" + failing_servers_text(*servers);
  return result + '}';
}

} // namespace

// -- the node ---------------------------------------------------------------------------

void operator_requests::handle(admin_request& msg) {
  auto read = protocol::read_operator_order(msg.what);
  if (auto* no = std::get_if<protocol::rejection>(&read))
    return parts_.self->send(msg.broker, http_rejected{std::move(*no)});
  auto& order = std::get<protocol::addressed_command>(read);
  if (order.node.empty() || order.node == parts_.setup.node)
    return std::visit([&](auto& what) { answer(what, msg.broker); }, order.what);
  if (!parts_.cluster.router || msg.is_passed_on)
    return parts_.self->send(msg.broker, http_rejected{protocol::refusal(404, "the cluster has no node of this name")});
  msg.node = std::move(order.node);
  parts_.self->send(parts_.cluster.router, std::move(msg));
}

void operator_requests::answer(const protocol::show_node&, const broker_actor& to) {
  auto node = parts_.setup.describe_node();
  node.uptime = std::chrono::duration_cast<std::chrono::milliseconds>(parts_.now() - began_);
  node.draining = !parts_.admission.stopping().takes_new();
  node.max_sessions = parts_.setup.max_sessions;
  for (auto& [id, one] : parts_.book.all())
    ++(one.binding.via == protocol::transport::stateless ? node.leases : node.sessions);
  if (drain_.is_paced())
    node.drain = drain_.progress();
  auto write = [node = std::move(node)](const protocol::state_report& all) mutable -> answer_or_rejection {
    for (auto& other : all.nodes)
      node.nodes.push_back({other.name, other.draining});
    if (node.drain)
      node.drain->calls = all.calls();
    return protocol::live_node_text(node);
  };
  const std::size_t asked = (parts_.cluster.cluster ? 1 : 0) + (drain_.is_paced() ? parts_.book.all().size() : 0);
  collector_actor collector = parts_.self->spawn<actors::collector>(std::ref(parts_.self->at()), to, asked,
                                                                    parts_.setup.brokers, std::move(write));
  if (parts_.cluster.cluster)
    parts_.self->send(parts_.cluster.cluster, report_request{collector});
  if (drain_.is_paced())
    for (auto& [id, one] : parts_.book.all())
      parts_.self->send(one.session, report_request{collector});
}

/// Unlike a probe of a load balancer, leaves no trace in the drain.
void operator_requests::answer(const protocol::show_readiness_now& what, const broker_actor& to) {
  auto write = [servers = describe_servers({}, what.verbose),
                verbose = what.verbose](const protocol::state_report& all) mutable -> answer_or_rejection {
    fill_in(servers, all);
    auto text = readiness_text(all, verbose ? &servers : nullptr);
    if (all.not_ready.empty())
      return text;
    auto result = protocol::not_ready(all.not_ready);
    result.body = std::move(text);
    return result;
  };
  const auto asked = 1 + (parts_.cluster.router ? 1 : 0) + parts_.book.all().size() + parts_.servers.all().size();
  collector_actor collector = parts_.self->spawn<actors::collector>(std::ref(parts_.self->at()), to, asked,
                                                                    parts_.setup.brokers, std::move(write));
  counted own;
  own.part.not_ready = parts_.servers.unready();
  if (!parts_.admission.stopping().takes_new())
    own.part.not_ready.insert(own.part.not_ready.begin(), protocol::gateway_drains());
  parts_.self->send(collector, std::move(own));
  if (parts_.cluster.router)
    parts_.self->send(parts_.cluster.router, report_request{collector});
  ask_all(collector);
}

std::vector<protocol::limit_report> operator_requests::limits() const {
  std::vector<protocol::limit_report> result{{"sessions", parts_.book.all().size(), parts_.setup.max_sessions}};
  if (parts_.setup.limits)
    std::ranges::move(parts_.setup.limits(), std::back_inserter(result));
  return result;
}

void operator_requests::collect(broker_actor to) {
  auto asked = 1 + parts_.book.all().size() + parts_.servers.all().size() + (parts_.cluster.cluster ? 2 : 0);
  collector_actor collector =
      parts_.self->spawn<actors::collector>(std::ref(parts_.self->at()), std::move(to), asked, parts_.setup.brokers);
  counted own;
  own.part.problems = parts_.servers.problems();
  own.part.limits = limits();
  parts_.self->send(collector, std::move(own));
  if (parts_.cluster.cluster) {
    parts_.self->send(parts_.cluster.cluster, report_request{collector});
    parts_.self->send(parts_.cluster.router, report_request{collector});
  }
  ask_all(collector);
}

void operator_requests::ask_all(const collector_actor& to) const {
  for (auto& [id, one] : parts_.book.all())
    parts_.self->send(one.session, report_request{to});
  for (auto& one : parts_.servers.all())
    parts_.self->send(one.as_member.actor, report_request{to});
}

// -- sessions ---------------------------------------------------------------------------

bool operator_requests::is_shown(const std::string& id, const known_session& one,
                                 const protocol::list_sessions& to) const {
  auto is_called = [&] { return one.caller && one.caller->subject == to.caller; };
  return (to.server.empty() || one.binding.path == to.server) && (to.caller.empty() || is_called()) &&
         (to.id.empty() || protocol::shown(id).find(to.id) != std::string::npos) &&
         (!to.idle || one.idle->since().has_value() == *to.idle);
}

protocol::live_session operator_requests::beginning_of(const std::string& id, const known_session& one) const {
  using std::chrono::milliseconds;
  const auto now = parts_.now();
  auto result = protocol::live_session{.number = one.number,
                                       .id = protocol::shown(id),
                                       .transport = name_of(one.binding.via),
                                       .server = one.binding.path,
                                       .caller = one.caller ? one.caller->subject : std::string{},
                                       .age = std::chrono::duration_cast<milliseconds>(now - one.began)};
  if (auto since = one.idle->since())
    result.idle = std::chrono::duration_cast<milliseconds>(now - *since);
  return result;
}

/// Queries the sessions themselves for the rest of their descriptions.
void operator_requests::describe(const std::vector<std::uint64_t>& sessions, const broker_actor& to,
                                 session_collector_state::writer write) {
  std::vector<protocol::live_session> known;
  for (auto number : sessions)
    known.push_back(beginning_of(*parts_.book.numbers().at(number), *parts_.book.numbered(number)));
  session_collector_actor session_collector =
      parts_.self->spawn<actors::session_collector>(std::ref(parts_.self->at()), to, known, std::move(write));
  for (auto& one : known)
    parts_.self->send(parts_.book.numbered(one.number)->session, describe_request{one, session_collector});
}

void operator_requests::answer(const protocol::list_sessions& what, const broker_actor& to) {
  std::vector<std::uint64_t> page;
  std::size_t total = 0;
  bool has_more = false;
  for (auto& [number, id] : parts_.book.numbers())
    if (is_shown(*id, parts_.book.all().at(*id), what)) {
      ++total;
      const auto is_on_page = number > what.after && page.size() < what.limit;
      has_more = has_more || (number > what.after && !is_on_page);
      if (is_on_page)
        page.push_back(number);
    }
  auto next = has_more ? std::optional{page.back()} : std::nullopt;
  describe(page, to, [total, next](std::vector<protocol::live_session> all) -> answer_or_rejection {
    return protocol::live_sessions_text(std::move(all), total, next);
  });
}

void operator_requests::answer(const protocol::show_session& what, const broker_actor& to) {
  if (!parts_.book.numbered(what.number))
    return parts_.self->send(to, http_rejected{no_such_session()});
  describe({what.number}, to, [](const std::vector<protocol::live_session>& all) {
    return all.empty() ? answer_or_rejection{no_such_session()} : protocol::live_session_text(all.front());
  });
}

void operator_requests::answer(const protocol::list_calls& what, const broker_actor& to) {
  std::vector<std::uint64_t> busy;
  for (auto& [number, id] : parts_.book.numbers())
    if (!parts_.book.all().at(*id).idle->since())
      busy.push_back(number);
  describe(busy, to, [limit = what.limit](const std::vector<protocol::live_session>& all) -> answer_or_rejection {
    return protocol::live_calls_text(all, limit);
  });
}

void operator_requests::answer(const protocol::end_session_now& what, const broker_actor& to) {
  auto* one = parts_.book.numbered(what.number);
  if (!one)
    return parts_.self->send(to, http_rejected{no_such_session()});
  parts_.close_now(*one, "an operator ended it");
  parts_.self->send(to, http_reply{"{\"ended\":" + std::to_string(what.number) + "}", {}});
}

void operator_requests::answer(const protocol::end_call_now& what, const broker_actor& to) {
  if (auto* one = parts_.book.numbered(what.session))
    parts_.self->send(one->session, end_call{what.call, to});
  else
    parts_.self->send(to, http_rejected{no_such_session()});
}

void operator_requests::answer(const protocol::follow_session& what, const broker_actor& to) {
  auto* one = parts_.book.numbered(what.number);
  if (!one)
    parts_.self->send(to, http_rejected{no_such_session()});
  else if (what.content && !parts_.setup.shows_content)
    parts_.self->send(to,
                      http_rejected{protocol::refusal(
                          403, "what messages say is shown only where the configuration has gateway.admin.content")});
  else
    parts_.self->send(one->session, follow_request{to, what.content});
}

// -- servers ----------------------------------------------------------------------------

std::vector<protocol::live_server> operator_requests::describe_servers(const std::string& name, bool details) const {
  std::vector<protocol::live_server> result;
  for (auto& one : changes_.configured())
    if (name.empty() || one.name == name)
      result.push_back({.name = one.name, .kind = source_kind(one.source), .enabled = !changes_.is_disabled(one.name)});
  for (auto& one : parts_.servers.all())
    if (auto shown = std::ranges::find(result, one.options.name, &protocol::live_server::name); shown != result.end()) {
      shown->not_ready = one.why_not_ready;
      one.failures->diagnostics()->with([&](auto& known) {
        shown->failures = known.failure_count();
        shown->why = known.failures().empty() ? std::string{} : known.failures().back().why;
        if (details)
          shown->diagnostics = known;
      });
    }
  return result;
}

void operator_requests::answer(const protocol::list_servers& what, const broker_actor& to) {
  auto servers = describe_servers(what.name, !what.name.empty());
  if (!what.name.empty() && servers.empty())
    return parts_.self->send(to, http_rejected{no_such_server()});
  auto write = [servers = std::move(servers), alone = !what.name.empty(),
                meter = parts_.setup.measure](const protocol::state_report& all) mutable -> answer_or_rejection {
    fill_in(servers, all);
    if (!alone)
      return protocol::live_servers_text(servers);
    measure(servers.front().processes, meter);
    return protocol::live_server_text(servers.front());
  };
  auto asked = parts_.book.all().size() + parts_.servers.all().size();
  ask_all(parts_.self->spawn<actors::collector>(std::ref(parts_.self->at()), to, asked, parts_.setup.brokers,
                                                std::move(write)));
}

void operator_requests::answer(const protocol::change_server& what, const broker_actor& to) {
  using kind = protocol::change_server::kind;
  auto refuse = [&](protocol::rejection why) { parts_.self->send(to, http_rejected{std::move(why)}); };
  if (std::ranges::find(changes_.configured(), what.name, &server_options::name) == changes_.configured().end())
    return refuse(no_such_server());
  if (parts_.admission.stopping().has_begun())
    return refuse(protocol::refusal(409, "the gateway is stopping"));
  auto runs = std::ranges::find_if(parts_.servers.all(), [&](auto& one) { return one.options.name == what.name; });
  if (what.how == kind::restart) {
    if (runs == parts_.servers.all().end())
      return refuse(protocol::refusal(409, "the server is disabled: enable it"));
    if (source_kind(runs->options.source) == "hosted")
      return refuse(protocol::refusal(409, "the server is part of the host's own program, and cannot be restarted"));
    changes_.restart(*runs);
  } else {
    changes_.enable(what.name, what.how == kind::enable);
  }
  parts_.setup.session->log(log_level::info, "an operator changes a server",
                            {{"server", what.name}, {"order", std::string{word_of(what.how)}}});
  parts_.self->send(to, http_reply{"{\"server\":" + protocol::quoted(what.name) + ",\"asked\":\"" +
                                       std::string{word_of(what.how)} + "\"}",
                                   {}});
}

} // namespace troupe::actors
