#include "actors/gateway/gateway_setup.hpp"

#include "actors/gateway/access_setup.hpp"
#include "actors/gateway/server_rules.hpp"
#include "actors/gateway/token_setup.hpp"
#include "actors/hosted/hosted_upstream.hpp"
#include "actors/upstream/actor_upstream.hpp"
#include "actors/upstream/http_upstream.hpp"
#include "actors/upstream/stdio_upstream.hpp"
#include "net/client_trust.hpp"
#include "net/crypto.hpp"
#include "net/name_lookup.hpp"
#include "net/process_resources.hpp"
#include "protocol/http/entry.hpp"
#include "protocol/options/descriptor_shares.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

/// Returns how many descriptors a session takes for this server.
std::size_t descriptors_of(const server_options& server) {
  if (server.sharing == sharing::shared || (shares_modern(server) && server.era == era::modern))
    return 0;
  if (std::holds_alternative<command_server>(server.source))
    return protocol::descriptors_of_process;
  return std::holds_alternative<remote_server>(server.source) ? protocol::descriptors_of_remote : 0;
}

/// Returns how many descriptors a session takes that uses all servers.
std::size_t descriptors_of_session(const gateway_options& options) {
  std::size_t result = 0;
  for (const auto& server : options.servers)
    result += descriptors_of(server);
  return result;
}

protocol::descriptor_shares shares_of(const gateway_options& options) {
  return protocol::share_descriptors(net::descriptor_limit(), options.limits.connections,
                                     descriptors_of_session(options));
}

constexpr const char* what_to_do = "raise it: ulimit -n, or LimitNOFILE= in a unit of systemd";

/// True if the loss of a server ends its sessions: a private process takes its state along, a remote server does not.
bool ends_users(const server_options& server) {
  if (server.on_loss != on_loss::by_sharing)
    return server.on_loss == on_loss::end_sessions;
  const auto is_shared = server.sharing == sharing::shared || server.sharing == sharing::principal;
  return !is_shared && !std::holds_alternative<remote_server>(server.source);
}

protocol::supervision_rules rules_of(const server_options& server, const gateway_options& options) {
  protocol::supervision_rules result;
  auto& again = server.restart;
  result.restarts = {again.first_delay, again.longest_delay, again.attempts, again.steady, again.rest};
  result.request = server.timeout.count() != 0 ? server.timeout : options.request_timeout;
  result.request_cap = std::max<std::chrono::milliseconds>(result.request_cap, result.request);
  result.initialize = options.initialize_timeout;
  result.tools = protocol::tool_filter{server.allow_tools, server.deny_tools};
  result.may_forget = std::holds_alternative<remote_server>(server.source);
  result.version = TROUPE_VERSION;
  return result;
}

protocol::server_era era_of(era chosen) {
  switch (chosen) {
  case era::legacy:
    return protocol::server_era::session;
  case era::modern:
    return protocol::server_era::stateless;
  default:
    return protocol::server_era::automatic;
  }
}

net::command command_of(const command_server& program, const gateway_options& options) {
  auto& of = program.limits;
  return {program.program,
          program.arguments,
          program.environment,
          program.directory,
          program.user,
          {of.memory, of.files, of.processes, of.cpu},
          program.no_new_privileges,
          options.server_descriptors,
          program.shown};
}

/// Returns the setup of a server process for one caller, with the caller's values in its environment.
std::shared_ptr<const stdio_setup> setup_for(const std::shared_ptr<const stdio_setup>& all,
                                             const protocol::caller& who) {
  auto result = std::make_shared<stdio_setup>(*all);
  auto told = protocol::texts_for(std::move(result->command.environment), who, protocol::attribute_target::variable);
  result->command.environment = std::get<protocol::named_texts>(std::move(told));
  result->mask = std::make_shared<const protocol::secret_mask>(result->command.environment);
  return result;
}

shared_mask mask_of(const server_options& server) {
  auto* program = std::get_if<command_server>(&server.source);
  return program ? std::make_shared<const protocol::secret_mask>(program->environment)
                 : std::make_shared<const protocol::secret_mask>();
}

/// Returns a maker of stdio connections; empty if the server is not on stdio.
wire_maker wires_to(const server_options& server, const gateway_options& options, const upstream_home& home,
                    const server_setup& of) {
  auto* program = std::get_if<command_server>(&server.source);
  if (!program)
    return {};
  net::child_limits limits;
  limits.kill_at_once = home.kill_at_once;
  limits.slots = home.processes;
  limits.line = options.limits.message_bytes;
  auto setup = std::make_shared<const stdio_setup>(stdio_setup{.server_name = server.name,
                                                               .command = command_of(*program, options),
                                                               .limits = limits,
                                                               .log = event_log{options.log},
                                                               .era = era_of(server.era),
                                                               .diagnostics = of.failures->diagnostics(),
                                                               .mask = of.failures->mask()});
  return [setup, &threads = home.threads, by_caller = receives_caller(server)](
             const unit& at, const stdio_wire::listener& to, const std::string& session, const protocol::caller& who) {
    return std::make_unique<stdio_wire>(at, *threads[at.number()], to, by_caller ? setup_for(setup, who) : setup,
                                        session);
  };
}

/// Returns a spawner of upstreams over these stdio connections.
bare_spawner spawner_with(wire_maker make) {
  return [make = std::move(make)](unit& at, bare_upstream_setup whom) {
    return caf::actor_cast<bare_upstream_actor>(at.system().spawn<stdio_upstream>(std::ref(at), make, std::move(whom)));
  };
}

protocol::remote_kind remote_kind_of(remote_transport transport) {
  switch (transport) {
  case remote_transport::streamable_http:
    return protocol::remote_kind::streamable_http;
  case remote_transport::http_sse:
    return protocol::remote_kind::http_sse;
  default:
    return protocol::remote_kind::detect;
  }
}

/// Disables the client's own timeouts: calls have their own, and a quiet stream must not end.
net::http_client_options client_options(const remote_server& far) {
  net::http_client_options result;
  result.trust = std::make_shared<net::client_trust>(far.ca_file);
  result.head = result.silence = {};
  result.connections = result.idle_connections = far.connections;
  return result;
}

/// Spawner for a remote server. Reads outlast the timeout of a call by a minute, so the call is cancelled first.
bare_spawner spawner_to(const remote_server& far, const server_options& server, const gateway_options& options,
                        const upstream_home& home) {
  auto setup = std::make_shared<remote_setup>();
  setup->server_name = server.name;
  setup->remote.url = far.url;
  setup->remote.kind = remote_kind_of(far.transport);
  // HTTP+SSE exists in the session era only.
  setup->remote.era = far.transport == remote_transport::http_sse ? protocol::server_era::session : era_of(server.era);
  setup->remote.headers = far.headers;
  setup->remote.message = options.limits.message_bytes;
  setup->remote.read = rules_of(server, options).request + std::chrono::minutes{1};
  setup->clients = std::make_shared<net::http_client_groups>(client_options(far));
  setup->remote.renews_credentials = far.auth.has_value();
  setup->exchanges = exchanges_tokens(server);
  setup->by_caller = receives_caller(server) || setup->exchanges;
  setup->log = event_log{options.log};
  return [setup, &threads = home.threads](unit& at, bare_upstream_setup whom) {
    return caf::actor_cast<bare_upstream_actor>(at.system().spawn<http_upstream>(
        std::ref(at), std::ref(*threads[at.number()]), std::move(whom), std::shared_ptr<const remote_setup>{setup}));
  };
}

bare_spawner spawner_to(const hosted_server& part, const server_options& server, const gateway_options& options,
                        const upstream_home& home) {
  auto setup = std::make_shared<const hosted_setup>(
      hosted_setup{server.name, offer_of(*part.server),
                   [workers = home.workers](std::function<void()> work) { return workers->post(std::move(work)); },
                   [workers = home.workers](net::worker_pool::ticket which) { workers->drop(which); },
                   [callbacks = home.callbacks](const std::function<void()>& work) {
                     if (callbacks->post(work) == 0)
                       work(); // the receiver may be waited for
                   },
                   event_log{options.log}});
  return [setup](unit& at, bare_upstream_setup whom) {
    return caf::actor_cast<bare_upstream_actor>(
        at.system().spawn<hosted_upstream>(std::ref(at), std::move(whom), setup));
  };
}

bare_spawner spawner_to(const actor_server& actors, const server_options& server, const gateway_options& options,
                        const upstream_home&) {
  auto setup = std::make_shared<const actor_setup>(actor_setup{server.name, actors.maker, event_log{options.log}});
  return [setup](unit& at, bare_upstream_setup whom) {
    return caf::actor_cast<bare_upstream_actor>(
        at.system().spawn<actor_upstream>(std::ref(at), std::move(whom), setup));
  };
}

/// Spawner for a server that is not on stdio. Servers without a source were refused by the option rules.
bare_spawner spawner_to(const server_options& server, const gateway_options& options, const upstream_home& home) {
  if (auto* far = std::get_if<remote_server>(&server.source))
    return spawner_to(*far, server, options, home);
  if (auto* part = std::get_if<hosted_server>(&server.source))
    return spawner_to(*part, server, options, home);
  if (auto* actors = std::get_if<actor_server>(&server.source))
    return spawner_to(*actors, server, options, home);
  return {};
}

using obstacle_report = std::function<void(std::string why)>;

/// Looks up the host of a remote server. The servers are spread over the threads, as each thread looks up one name at a
/// time. Destroying the result ends the look-up.
std::shared_ptr<void> find_host(const std::string& url, const thread_list& threads, obstacle_report report) {
  std::string why_not;
  const auto to = protocol::parse_http_url(url, why_not);
  if (!to || threads.empty())
    return nullptr;
  auto& thread = *threads[std::hash<std::string>{}(url) % threads.size()];
  auto result = std::make_shared<net::name_lookup>(thread);
  thread.post([lookup = std::weak_ptr{result}, host = to->host, port = to->port, report = std::move(report)]() mutable {
    const auto alive = lookup.lock();
    if (!alive)
      return;
    alive->find(host, port, [report = std::move(report)](const auto&, std::string why_not) {
      if (!why_not.empty())
        report(std::move(why_not));
    });
  });
  return result;
}

/// Returns a check of what a server needs to start; empty for a hosted server.
std::function<std::shared_ptr<void>(obstacle_report report)>
check_of(const server_options& server, const gateway_options& options, const upstream_home& home) {
  if (auto* program = std::get_if<command_server>(&server.source))
    return [command = command_of(*program, options)](const obstacle_report& report) {
      if (auto obstacle = net::find_obstacle(command))
        report(std::move(obstacle->text));
      return nullptr;
    };
  if (auto* far = std::get_if<remote_server>(&server.source))
    return [url = far->url, &threads = home.threads](obstacle_report report) {
      return find_host(url, threads, std::move(report));
    };
  return {};
}

/// Longest wait of a session with several servers for them, so that its own `initialize` is answered in time.
std::chrono::milliseconds within_initialize(std::chrono::milliseconds timeout) {
  constexpr std::chrono::milliseconds most_spare = std::chrono::seconds{1};
  return timeout - std::min(timeout / 10, most_spare);
}

} // namespace

std::size_t connections_for(const gateway_options& options) { return shares_of(options).connections; }

void warn_of_few_descriptors(const gateway_options& options, const event_log& log) {
  const auto shares = shares_of(options);
  const auto limit = std::to_string(net::descriptor_limit());
  if (shares.sessions < options.max_sessions)
    log(log_level::warning, "the limit of open files allows fewer sessions than are wanted",
        {{"limit", limit},
         {"sessions", std::to_string(shares.sessions)},
         {"wanted", std::to_string(options.max_sessions)},
         {"advice", what_to_do}});
  if (shares.connections < options.limits.connections)
    log(log_level::warning, "the limit of open files allows fewer connections than are wanted",
        {{"limit", limit},
         {"connections", std::to_string(shares.connections)},
         {"wanted", std::to_string(options.limits.connections)},
         {"advice", what_to_do}});
}

std::size_t threads_of(const gateway_options& options) {
  return options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency() / 2);
}

std::shared_ptr<caller_limiter> make_limiter(const limits& options) {
  auto& each = options.per_address;
  return std::make_shared<caller_limiter>(
      protocol::caller_rules{each.requests_per_second, each.initializes_per_minute, each.calls},
      protocol::ip_networks{options.trusted_proxies});
}

net::connection_totals make_totals(const limits& options) {
  net::connection_totals result{options.unsent_bytes != 0 ? options.unsent_bytes
                                                          : std::numeric_limits<std::size_t>::max()};
  auto key = [trusted = protocol::ip_networks{options.trusted_proxies}](const std::string& from) {
    return protocol::connection_address(from, trusted);
  };
  if (auto most = options.per_address.connections; most != 0)
    result.by_address = std::make_shared<net::connections_by_address>(most, std::move(key));
  return result;
}

net::connection_limits connection_limits_of(const gateway_options& options) {
  const auto is_probe = [paths = paths_of(options)](const protocol::http_request& request) {
    return protocol::is_probe(request, paths);
  };
  return {.connections = connections_for(options), .body = options.max_body, .is_always_answered = is_probe};
}

namespace {

/// Returns the keys that seal cursors: in a cluster the shared ones, as a session can continue on any node.
std::function<std::vector<std::string>()> seal_keys_of(const std::shared_ptr<const cluster_keys>& keys) {
  if (keys)
    return [keys] { return keys->for_cursors(); };
  return [one = protocol::hex(net::random_128())] { return std::vector{one}; };
}

} // namespace

std::shared_ptr<const session_setup> make_session_setup(const gateway_options& options,
                                                        std::shared_ptr<const caller_tokens> callers,
                                                        const std::shared_ptr<const cluster_keys>& keys) {
  auto result = std::make_shared<session_setup>();
  result->limits.idle = options.session_timeout;
  result->limits.abandoned = options.abandoned_timeout;
  result->limits.initialize = options.initialize_timeout;
  result->lease_time = options.lease_time;
  result->http.stream.poll = options.stream_time;
  result->http.stream.all_stored_bytes = std::make_shared<protocol::byte_total>(options.limits.event_bytes);
  result->http.all_waiting_bytes = std::make_shared<protocol::byte_total>(options.limits.waiting_bytes);
  result->catalog.list_patience = options.list_patience;
  result->catalog.eager_patience = within_initialize(options.initialize_timeout);
  result->catalog.greet_patience = std::min(options.instructions_patience, result->catalog.eager_patience);
  result->catalog.version = TROUPE_VERSION;
  result->scopes = options.auth.scopes;
  result->seal_keys = seal_keys_of(keys);
  result->callers = std::move(callers);
  result->paths = paths_of(options);
  result->watch = {options.access_log != nullptr, protocol::is_unix_socket(options.host) ? "unix" : "tcp"};
  result->log = event_log{options.log};
  return result;
}

std::vector<protocol::limit_report> limits_of(const session_setup& sessions) {
  auto one = [](const char* name, const protocol::byte_total& bytes) {
    return protocol::limit_report{name, bytes.bytes(), bytes.most()};
  };
  return {one("eventBytes", *sessions.http.stream.all_stored_bytes),
          one("waitingBytes", *sessions.http.all_waiting_bytes)};
}

namespace {

protocol::access_rule rule_of(const allowed_callers& who) { return {who.scopes, who.groups, who.names, who.issuers}; }

void add_rules(protocol::offered kind, const std::vector<std::pair<std::string, allowed_callers>>& from,
               std::vector<protocol::named_rule>& to) {
  for (auto& [pattern, who] : from)
    to.push_back({kind, pattern, rule_of(who)});
}

/// Name of the transport as in OpenTelemetry (`network.transport`).
std::string_view transport_to(const server_options& server) {
  if (std::holds_alternative<command_server>(server.source))
    return "pipe";
  return std::holds_alternative<remote_server>(server.source) ? "tcp" : "inproc";
}

protocol::operation_peer peer_of(const server_options& server) {
  protocol::operation_peer result{server.name, transport_to(server)};
  std::string why_not;
  auto* far = std::get_if<remote_server>(&server.source);
  if (auto to = far ? protocol::parse_http_url(far->url, why_not) : std::nullopt) {
    result.address = to->host;
    result.port = to->port;
  }
  return result;
}

} // namespace

std::shared_ptr<const protocol::permissions> permissions_of(const server_access& access, const auth_options& auth) {
  std::vector<protocol::named_rule> things;
  add_rules(protocol::offered::tool, access.tools, things);
  add_rules(protocol::offered::prompt, access.prompts, things);
  add_rules(protocol::offered::resource, access.resources, things);
  auto result = std::make_shared<const protocol::permissions>(
      rule_of(access.server), std::move(things),
      protocol::scope_hierarchy{auth.scope_includes.begin(), auth.scope_includes.end()});
  return result->are_given() ? result : nullptr;
}

std::shared_ptr<const server_setup> make_server_setup(const server_options& server, const gateway_options& options,
                                                      const upstream_home& home) {
  auto result = std::make_shared<server_setup>();
  result->name = server.name;
  result->peer = std::make_shared<const protocol::operation_peer>(peer_of(server));
  result->eager = server.eager;
  result->essential = server.essential;
  result->rules = rules_of(server, options);
  result->access = permissions_of(server.access, options.auth);
  result->make_tokens = token_source_of(server, options, home);
  result->sharing_key = make_sharing_key(server);
  result->sharing = {
      .shared = server.sharing == sharing::shared,
      .by_owner = server.sharing == sharing::principal,
      .shares_modern = shares_modern(server),
      .is_modern = shares_modern(server) && server.era == era::modern,
      .eager = server.eager || server.essential,
      .pool = server.sharing == sharing::pool ? server.pool_size : 0,
      .bare_alone = ends_users(server) && server.allow_tools.empty() && server.deny_tools.empty(),
      .ends_users = ends_users(server),
      .units = home.units.size(),
      .restarts = result->rules.restarts,
  };
  result->ends_sharing_users = server.on_loss == on_loss::end_sessions;
  result->failures = std::make_shared<const failure_log>(server.name, event_log{options.log}, mask_of(server),
                                                         result->rules.restarts.first_delay);
  result->make_wire = wires_to(server, options, home, *result);
  result->spawn_bare = result->make_wire ? spawner_with(result->make_wire) : spawner_to(server, options, home);
  result->check = check_of(server, options, home);
  result->units = home.units;
  result->random = net::random_64;
  result->log = event_log{options.log};
  return result;
}

} // namespace troupe::actors
