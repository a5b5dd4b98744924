#include "deploy/config/config_gateway.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_security.hpp"
#include "deploy/config/config_traces.hpp"
#include "deploy/config/config_variables.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/options/option_bounds.hpp"
#include "protocol/text/ip_address.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <tuple>

namespace troupe::deploy {

namespace {

constexpr std::string_view per_address = "perAddress";
constexpr std::string_view trusted_proxies = "trustedProxies";

/// Key, member and bounds of a limit that is a whole number.
template <class Limits>
struct limit_key {
  std::string_view name;
  std::size_t Limits::*member;
  protocol::bounds bounds;
};

constexpr limit_key<limits> total_keys[] = {{"connections", &limits::connections, protocol::connection_bounds},
                                            {"unsentBytes", &limits::unsent_bytes, protocol::unsent_bounds},
                                            {"eventBytes", &limits::event_bytes, protocol::stored_bounds},
                                            {"waitingBytes", &limits::waiting_bytes, protocol::stored_bounds},
                                            {"messageBytes", &limits::message_bytes, protocol::message_bounds},
                                            {"processes", &limits::processes, protocol::process_bounds}};

constexpr limit_key<address_limits> address_keys[] = {
    {"requestsPerSecond", &address_limits::requests_per_second, protocol::address_bounds},
    {"initializesPerMinute", &address_limits::initializes_per_minute, protocol::address_bounds},
    {"sessions", &address_limits::sessions, protocol::address_bounds},
    {"calls", &address_limits::calls, protocol::address_bounds},
    {"connections", &address_limits::connections, protocol::address_bounds}};

template <class Limits>
std::vector<std::string_view> names(std::span<const limit_key<Limits>> keys) {
  std::vector<std::string_view> result;
  std::ranges::transform(keys, std::back_inserter(result), &limit_key<Limits>::name);
  return result;
}

/// Reads a limit; false if the member is none of the keys.
template <class Limits>
bool read_limit(const config_member& member, std::span<const limit_key<Limits>> keys, Limits& to) {
  const auto found = std::ranges::find(keys, member.name, &limit_key<Limits>::name);
  if (found == keys.end())
    return false;
  if (const auto number = member.value.whole(found->bounds.least, found->bounds.most))
    to.*found->member = *number;
  return true;
}

void read_per_address(const config_value& section, address_limits& to) {
  for (const auto& member : section.members())
    if (!read_limit<address_limits>(member, address_keys, to))
      warn_of_unknown(member, address_limits_keys());
}

void read_proxies(const config_value& list, limits& to) {
  for (const auto& one : list.elements())
    if (const auto text = one.text()) {
      if (protocol::ip_networks::is_valid(*text))
        to.trusted_proxies.push_back(*text);
      else
        one.error("must be an address or a network such as 10.0.0.0/8");
    }
}

/// Key of the section: the flag that overrides it, and how it is read, copied and compared.
struct gateway_key {
  std::string_view name;
  std::string_view flag;
  void (*read)(const config_value& value, gateway_options& to);
  void (*copy)(const gateway_options& from, gateway_options& to);
  bool (*same)(const gateway_options& one, const gateway_options& other);
};

/// Makes a key for `Member`; `Read` returns an optional of its type.
template <auto Member, auto Read>
constexpr gateway_key key(std::string_view name, std::string_view flag = {}) {
  return {name, flag,
          [](const config_value& value, gateway_options& to) {
            if (auto read = Read(value))
              to.*Member = std::move(*read);
          },
          [](const gateway_options& from, gateway_options& to) { to.*Member = from.*Member; },
          [](const gateway_options& one, const gateway_options& other) { return one.*Member == other.*Member; }};
}

constexpr auto nonempty_text = [](const config_value& value) { return value.nonempty_text(); };
constexpr auto texts = [](const config_value& value) { return std::optional(value.texts()); };
constexpr auto paths = [](const config_value& value) {
  std::vector<std::string> result;
  for (const auto& one : value.elements())
    if (auto path = one.text()) {
      if (const auto why = protocol::fault_of_path(*path); why.empty())
        result.push_back(std::move(*path));
      else
        one.error("'" + *path + "' " + why);
    }
  return std::optional(std::move(result));
};
constexpr auto boolean = [](const config_value& value) { return value.boolean(); };
constexpr auto duration = [](const config_value& value) { return value.duration(); };
constexpr auto duration_or_zero = [](const config_value& value) { return value.duration_or_zero(); };
template <const protocol::bounds& Bounds>
constexpr auto whole = [](const config_value& value) { return value.whole(Bounds.least, Bounds.most); };

constexpr gateway_key keys[] = {
    key<&gateway_options::host, nonempty_text>("host", "--host"),
    key<&gateway_options::port, whole<protocol::port_bounds>>("port", "--port"),
    key<&gateway_options::allow_origins, texts>("allowOrigins", "--allow-origin"),
    key<&gateway_options::allowed_hosts, texts>("allowedHosts", "--allowed-host"),
    key<&gateway_options::mcp_paths, paths>("mcpPaths", "--mcp-path"),
    key<&gateway_options::sse_paths, paths>("ssePaths", "--sse-path"),
    key<&gateway_options::message_paths, paths>("messagePaths", "--message-path"),
    key<&gateway_options::health_paths, paths>("healthPaths", "--health-path"),
    key<&gateway_options::threads, whole<protocol::thread_bounds>>("threads", "--threads"),
    key<&gateway_options::max_body, whole<protocol::body_bounds>>("maxBody", "--max-body"),
    key<&gateway_options::max_sessions, whole<protocol::session_bounds>>("maxSessions", "--max-sessions"),
    key<&gateway_options::session_timeout, duration>("sessionTimeout", "--session-timeout"),
    key<&gateway_options::abandoned_timeout, duration>("abandonedTimeout", "--abandoned-timeout"),
    key<&gateway_options::lease_time, duration>("leaseTime", "--lease-time"),
    key<&gateway_options::request_timeout, duration>("requestTimeout", "--request-timeout"),
    key<&gateway_options::initialize_timeout, duration>("initializeTimeout"),
    key<&gateway_options::grace, duration_or_zero>("grace"),
    key<&gateway_options::upgrade_time, duration>("upgradeTime"),
    key<&gateway_options::stream_time, duration_or_zero>("streamTime", "--stream-time"),
    key<&gateway_options::list_patience, duration>("listPatience"),
    key<&gateway_options::instructions_patience, duration_or_zero>("instructionsPatience"),
    key<&gateway_options::debug_state, boolean>("debugState", "--debug-state")};

void read_log(const config_value& value, config_file& file) {
  for (const auto& member : value.members()) {
    if (member.name == "level")
      file.level = member.value.choice(log_levels);
    else if (member.name == "format")
      file.format = member.value.choice(log_formats);
    else
      warn_of_unknown(member, log_keys());
  }
}

/// Reads the path of the access log. `-` means stdout and is not resolved.
std::optional<std::string> access_log_file(const config_value& value, config_variables& variables) {
  return value.token() == R"("-")" ? value.text() : path_of(value, variables);
}

void read_access_log(const config_value& value, config_variables& variables, access_log_options& to) {
  bool has_file = false;
  for (const auto& member : value.members()) {
    if (member.name == "file") {
      has_file = true;
      to.file = access_log_file(member.value, variables).value_or("");
    } else if (member.name == "format") {
      to.format = member.value.choice(log_formats).value_or(to.format);
    } else {
      warn_of_unknown(member, access_log_keys());
    }
  }
  if (value.is_object() && !has_file)
    value.error("has no `file`");
}

} // namespace

void read_limits(const config_value& section, limits& to) {
  for (const auto& member : section.members()) {
    if (member.name == per_address)
      read_per_address(member.value, to.per_address);
    else if (member.name == trusted_proxies)
      read_proxies(member.value, to);
    else if (!read_limit<limits>(member, total_keys, to))
      warn_of_unknown(member, limits_keys());
  }
}

std::vector<std::string_view> limits_keys() {
  auto result = names<limits>(total_keys);
  result.insert(result.end(), {per_address, trusted_proxies});
  return result;
}

std::vector<std::string_view> address_limits_keys() { return names<address_limits>(address_keys); }

cluster_entries read_gateway(const config_value& value, config_variables& variables, config_file& file) {
  cluster_entries result;
  for (const auto& member : value.members()) {
    const auto* const found = std::ranges::find(keys, member.name, &gateway_key::name);
    if (found != std::end(keys))
      found->read(member.value, file.gateway);
    else if (member.name == "log")
      read_log(member.value, file);
    else if (member.name == "accessLog")
      read_access_log(member.value, variables, file.access_log);
    else if (member.name == "auth")
      read_auth(member.value, variables, file.gateway.auth);
    else if (member.name == "admin")
      read_admin(member.value, variables, file.gateway.admin.emplace());
    else if (member.name == "tls")
      read_tls(member.value, variables, file.gateway.tls.emplace());
    else if (member.name == "traces")
      file.gateway.traces = read_traces(member.value, variables);
    else if (member.name == "limits")
      read_limits(member.value, file.gateway.limits);
    else if (member.name == "cluster")
      result = read_cluster(member.value, variables, file.gateway.cluster.emplace());
    else
      warn_of_unknown(member, gateway_keys());
  }
  return result;
}

namespace {

void apply_access_flags(gateway_options& file, const gateway_options& line, const std::set<std::string>& given) {
  if (given.contains("--listen"))
    std::tie(file.host, file.port, file.socket) = std::tie(line.host, line.port, line.socket);
  if (given.contains("--keys"))
    file.auth.keys_file = line.auth.keys_file;
  if (given.contains("--allow-anonymous"))
    file.auth.allow_anonymous = line.auth.allow_anonymous;
  if (given.contains("--trusted-proxy"))
    file.limits.trusted_proxies = line.limits.trusted_proxies;
  for (auto [flag, path] : {std::pair{"--tls-cert", &tls_options::certificate},
                            {"--tls-key", &tls_options::private_key},
                            {"--tls-client-ca", &tls_options::client_ca},
                            {"--tls-client-crl", &tls_options::client_crl}})
    if (given.contains(flag))
      (file.tls ? *file.tls : file.tls.emplace()).*path = *line.tls.*path;
}

void apply_admin_flags(std::optional<admin_options>& file, const std::optional<admin_options>& line,
                       const std::set<std::string>& given) {
  if (!line)
    return;
  if (!file)
    file.emplace();
  if (given.contains("--admin-listen"))
    std::tie(file->host, file->port, file->socket) = std::tie(line->host, line->port, line->socket);
  if (given.contains("--admin-token-file") || given.contains("--admin-open"))
    std::tie(file->token_file, file->open) = std::tie(line->token_file, line->open);
}

} // namespace

void apply_flags(gateway_options& file, const gateway_options& line, const std::set<std::string>& given) {
  for (const auto& key : keys)
    if (given.contains(std::string(key.flag)))
      key.copy(line, file);
  apply_access_flags(file, line, given);
  apply_admin_flags(file.admin, line.admin, given);
  apply_flags(file.cluster, line.cluster, given);
}

std::vector<std::string> gateway_changes(const config_file& before, const config_file& after) {
  std::vector<std::string> result;
  for (const auto& key : keys)
    if (!key.same(before.gateway, after.gateway))
      result.push_back("gateway." + std::string(key.name));
  if (before.gateway.auth != after.gateway.auth)
    result.emplace_back("gateway.auth");
  if (before.gateway.admin != after.gateway.admin)
    result.emplace_back("gateway.admin");
  if (before.gateway.traces != after.gateway.traces)
    result.emplace_back("gateway.traces");
  if (before.gateway.tls != after.gateway.tls)
    result.emplace_back("gateway.tls");
  if (before.gateway.limits != after.gateway.limits)
    result.emplace_back("gateway.limits");
  std::ranges::move(cluster_changes(before.gateway.cluster, after.gateway.cluster), std::back_inserter(result));
  if (before.level != after.level)
    result.emplace_back("gateway.log.level");
  if (before.format != after.format)
    result.emplace_back("gateway.log.format");
  if (before.access_log != after.access_log)
    result.emplace_back("gateway.accessLog");
  return result;
}

std::vector<std::string_view> gateway_keys() {
  std::vector<std::string_view> result{"log", "accessLog", "auth", "admin", "traces", "tls", "limits", "cluster"};
  std::ranges::transform(keys, std::back_inserter(result), &gateway_key::name);
  return result;
}

std::vector<std::string_view> log_keys() { return {"level", "format"}; }

std::vector<std::string_view> access_log_keys() { return {"file", "format"}; }

} // namespace troupe::deploy
