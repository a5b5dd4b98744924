#include "deploy/config/config_gateway.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_security.hpp"
#include "deploy/config/config_traces.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/option_reader.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

namespace troupe::deploy {

using actors::option_table::address_rows, actors::option_table::admin_rows, actors::option_table::auth_rows,
    actors::option_table::gateway_rows, actors::option_table::limit_rows, actors::option_table::tls_rows;

namespace {

constexpr std::string_view per_address = "perAddress";

void read_per_address(const config_value& section, config_variables& variables, address_limits& to) {
  for (const auto& member : section.members())
    if (!read_member(member, address_rows, variables, to))
      warn_of_unknown(member, address_limits_keys());
}

void read_limits(const config_value& section, config_variables& variables, limits& to) {
  for (const auto& member : section.members()) {
    if (member.name == per_address)
      read_per_address(member.value, variables, to.per_address);
    else if (!read_member(member, limit_rows, variables, to))
      warn_of_unknown(member, limits_keys());
  }
}

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

std::vector<std::string_view> limits_keys() { return keys_of<limits>(limit_rows, {per_address}); }

std::vector<std::string_view> address_limits_keys() { return keys_of<address_limits>(address_rows); }

cluster_entries read_gateway(const config_value& value, config_variables& variables, config_file& file) {
  cluster_entries result;
  for (const auto& member : value.members()) {
    if (read_member(member, gateway_rows, variables, file.gateway))
      continue;
    if (member.name == "log")
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
      read_limits(member.value, variables, file.gateway.limits);
    else if (member.name == "cluster")
      result = read_cluster(member.value, variables, file.gateway.cluster.emplace());
    else
      warn_of_unknown(member, gateway_keys());
  }
  return result;
}

namespace {

void apply_listening_flags(gateway_options& file, const gateway_options& line, const std::set<std::string>& given) {
  if (given.contains("--listen"))
    std::tie(file.host, file.port, file.socket) = std::tie(line.host, line.port, line.socket);
  if (!given.contains("--admin-listen"))
    return;
  auto& admin = file.admin ? *file.admin : file.admin.emplace();
  std::tie(admin.host, admin.port, admin.socket) = std::tie(line.admin->host, line.admin->port, line.admin->socket);
}

/// Overrides the token of operators. A file and the wish for no token replace each other.
void apply_token_flags(std::optional<admin_options>& file, const std::optional<admin_options>& line,
                       const std::set<std::string>& given) {
  if (!line || !has_flag<admin_options>(admin_rows, given)) // `--admin-open=false` alone gives no options
    return;
  auto& admin = file ? *file : file.emplace();
  std::tie(admin.token_file, admin.open) = std::tie(line->token_file, line->open);
}

} // namespace

void apply_flags(gateway_options& file, const gateway_options& line, const std::set<std::string>& given) {
  override_options(gateway_rows, file, line, given);
  override_options(limit_rows, file.limits, line.limits, given);
  override_options(auth_rows, file.auth, line.auth, given);
  if (has_flag<tls_options>(tls_rows, given))
    override_options(tls_rows, file.tls ? *file.tls : file.tls.emplace(), *line.tls, given);
  apply_token_flags(file.admin, line.admin, given);
  apply_listening_flags(file, line, given);
  apply_flags(file.cluster, line.cluster, given);
}

std::vector<std::string> gateway_changes(const config_file& before, const config_file& after) {
  std::vector<std::string> result;
  for (const auto& row : gateway_rows)
    if (!row.is_same(before.gateway, after.gateway))
      result.push_back("gateway." + std::string(row.key));
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
  return keys_of<gateway_options>(gateway_rows,
                                  {"log", "accessLog", "auth", "admin", "traces", "tls", "limits", "cluster"});
}

std::vector<std::string_view> log_keys() { return {"level", "format"}; }

std::vector<std::string_view> access_log_keys() { return {"file", "format"}; }

} // namespace troupe::deploy
