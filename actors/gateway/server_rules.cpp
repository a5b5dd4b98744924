#include "actors/gateway/server_rules.hpp"

#include "actors/hosted/shared_offer.hpp"
#include "actors/troupe/caf.hpp"
#include "actors/troupe/server.hpp"
#include "protocol/access/caller_text.hpp"
#include "protocol/catalog/merged_names.hpp"
#include "protocol/text/caller_parts.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

std::string name_from(std::monostate) { return {}; }

std::string name_from(const command_server& one) { return one.program.substr(one.program.rfind('/') + 1); }

/// Leaves out the rest of the URL and a user name in it, as they may be secret.
std::string name_from(const remote_server& one) {
  const auto slashes = one.url.find("//");
  const auto rest = slashes == std::string::npos ? one.url : one.url.substr(slashes + 2);
  const auto place = rest.substr(0, rest.find_first_of("/?#"));
  return place.substr(place.rfind('@') + 1);
}

std::string name_from(const hosted_server& one) {
  return one.server ? std::string{offer_of(*one.server)->now()->offer.info.at("name").as_string()} : std::string{};
}

std::string name_from(const actor_server&) { return {}; }

using server_fault = std::optional<std::string>;

server_fault named_fault(std::string why) { return why.empty() ? std::nullopt : server_fault{std::move(why)}; }

server_fault check_header(const std::string& name, const std::string& value) {
  if (!protocol::is_header_name(name))
    return "has a name of a header that is none";
  if (protocol::is_own_header(name))
    return "has a header that the gateway sets itself";
  if (!protocol::is_header_value(value))
    return "has a header with line breaks or other control characters";
  return named_fault(protocol::fault_of_caller_parts(value));
}

server_fault check_headers(const remote_server& one) {
  std::set<std::string> seen;
  for (const auto& [name, value] : one.headers) {
    if (auto why = check_header(name, value))
      return why;
    if (!seen.insert(protocol::lower(name)).second)
      return "has a header twice: case does not tell headers apart";
  }
  return std::nullopt;
}

server_fault check_from(std::monostate) {
  return "does not say where it comes from: give it a command, a URL or a hosted server";
}

server_fault check_from(const command_server& one) {
  if (one.program.empty())
    return "has an empty command";
  if (!std::ranges::all_of(one.environment, [](auto& variable) { return protocol::is_variable_name(variable.first); }))
    return "has a name of an environment variable that is none";
  if (one.limits.cpu.count() < 0)
    return "has a limit of time on a processor that is below zero";
  for (const auto& [name, value] : one.environment)
    if (auto why = named_fault(protocol::fault_of_caller_parts(value)))
      return why;
  return std::nullopt;
}

server_fault check_grant(const remote_server& one) {
  if (!one.auth)
    return std::nullopt;
  const auto& auth = *one.auth;
  const auto is_own = [](auto& header) { return protocol::same_word(header.first, "Authorization"); };
  return named_fault(protocol::fault_of_grant({auth.issuer,
                                               auth.token_endpoint,
                                               auth.client_id,
                                               auth.client_secret,
                                               auth.resource,
                                               {auth.scopes.begin(), auth.scopes.end()},
                                               std::ranges::any_of(one.headers, is_own)}));
}

server_fault check_from(const remote_server& one) {
  if (std::string why_not; !protocol::parse_http_url(one.url, why_not))
    return "has a URL that is none of http or https with a host, no user and no fragment: " + why_not;
  if (one.connections == 0 || one.connections > protocol::most_connections)
    return "must have 1 to " + std::to_string(protocol::most_connections) + " connections";
  if (auto why = check_grant(one))
    return why;
  return check_headers(one);
}

server_fault check_from(const hosted_server& one) {
  return one.server ? std::nullopt : server_fault{"has no hosted server: it is null"};
}

server_fault check_from(const actor_server& one) {
  return one.maker && one.maker->make ? std::nullopt : server_fault{"has no actor: what makes it is null"};
}

server_fault check_source(const server_options& one) {
  return std::visit([](const auto& source) { return check_from(source); }, one.source);
}

server_fault check_restart(const server_options& one) {
  const auto& again = one.restart;
  if (std::min({again.first_delay, again.longest_delay, again.steady, again.rest}).count() <= 0)
    return "has a time of restarts that is not above zero";
  if (again.first_delay > again.longest_delay)
    return "has a first delay of restarts that is longer than the longest";
  if (again.attempts == 0 || again.attempts > protocol::most_attempts)
    return "must have 1 to " + std::to_string(protocol::most_attempts) + " attempts to restart it";
  return std::nullopt;
}

server_fault check_era(const server_options& one) {
  const auto* far = std::get_if<remote_server>(&one.source);
  if (far && far->transport == remote_transport::http_sse && one.era == era::modern)
    return "cannot speak 2026-07-28 over HTTP+SSE, which is of 2024-11-05 only";
  return std::nullopt;
}

server_fault check_rest(const server_options& one) {
  if (one.sharing == sharing::pool && (one.pool_size == 0 || one.pool_size > protocol::largest_pool))
    return "must have a pool of 1 to " + std::to_string(protocol::largest_pool);
  if (one.timeout.count() < 0)
    return "has a timeout below zero";
  if (!one.prefix.empty() && !protocol::is_prefix(one.prefix))
    return "has a prefix with other than letters, digits, `_` and `-`, or more than 64 of them";
  return std::nullopt;
}

server_fault check(const server_options& one) {
  for (auto* rule : {check_source, check_restart, check_era, check_rest})
    if (auto why = rule(one))
      return why;
  return std::nullopt;
}

/// Checks a name. The file name of a program may be longer than other names.
bool is_named_well(const server_options& one) {
  const bool is_its_file = std::holds_alternative<command_server>(one.source) && one.name == own_name(one.source);
  return is_its_file ? protocol::is_path_segment(one.name) : protocol::is_server_name(one.name);
}

server_fault check_names(const std::vector<server_options>& servers) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    if (!is_named_well(servers[i]))
      return "server " + std::to_string(i + 1) + " needs a name of 1 to 64 characters, none of them `/` or a control " +
             "character, that is not `.` or `..`";
    if (!names.insert(servers[i].name).second)
      return "two servers are called " + servers[i].name;
  }
  return std::nullopt;
}

server_fault check_prefixes(const std::vector<server_options>& servers) {
  std::vector<std::pair<std::string, const std::string*>> seen;
  for (const auto& one : servers) {
    if (!one.prefixed)
      continue;
    auto stem = protocol::name_stem(protocol::clean_prefix(one.prefix.empty() ? one.name : one.prefix));
    const auto earlier =
        std::ranges::find_if(seen, [&](auto& other) { return protocol::may_share_names(other.first, stem); });
    if (earlier != seen.end())
      return "the tools of the servers " + *earlier->second + " and " + one.name +
             " could have the same names: give a " + "prefix";
    seen.emplace_back(std::move(stem), &one.name);
  }
  return std::nullopt;
}

} // namespace

std::string own_name(const server_source& source) {
  return std::visit([](const auto& one) { return name_from(one); }, source);
}

std::vector<server_options> named(std::vector<server_options> servers) {
  for (auto& one : servers)
    if (one.name.empty())
      one.name = own_name(one.source);
  return servers;
}

bool receives_caller(const server_options& server) {
  if (const auto* program = std::get_if<command_server>(&server.source))
    return protocol::depend_on_caller(program->environment);
  const auto* far = std::get_if<remote_server>(&server.source);
  return far && protocol::depend_on_caller(far->headers);
}

bool shares_modern(const server_options& server) {
  return server.sharing == sharing::automatic && server.era != era::legacy &&
         std::holds_alternative<command_server>(server.source) && !receives_caller(server);
}

bool exchanges_tokens(const server_options& server) {
  const auto* far = std::get_if<remote_server>(&server.source);
  return far && far->auth && far->auth->grant == grant_options::kind::token_exchange;
}

protocol::caller_needs needs_of(const server_options& server, const gateway_options& options) {
  const auto& auth = options.auth;
  const auto asks_for_certificates = options.tls && !options.tls->client_ca.empty();
  return {.is_told = receives_caller(server),
          .exchanges = exchanges_tokens(server),
          .has_one_caller = server.sharing != sharing::shared && server.sharing != sharing::pool,
          .knows_callers = !auth.keys_file.empty() || auth.issuer || asks_for_certificates,
          .knows_tokens = auth.issuer.has_value()};
}

std::optional<std::string> why_not_serve(const std::vector<server_options>& servers, bool merged) {
  if (servers.size() > protocol::most_servers)
    return "there are more than " + std::to_string(protocol::most_servers) + " servers";
  if (auto why = check_names(servers))
    return why;
  for (const auto& one : servers)
    if (auto why = check(one))
      return "the server " + one.name + ' ' + *why;
  return merged ? check_prefixes(servers) : std::nullopt;
}

} // namespace troupe::actors
