#include "deploy/config/server_checks.hpp"

#include "protocol/access/permissions.hpp"
#include "protocol/catalog/merged_names.hpp"
#include "protocol/options/server_rules.hpp"
#include "protocol/text/caller_parts.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <variant>

namespace troupe::deploy {

namespace {

/// Returns the prefix without its `__`: the tools of `my.server` begin with `my_server__`.
std::string prefix_of(const server_options& server) {
  return protocol::name_stem(protocol::clean_prefix(server.prefix.empty() ? server.name : server.prefix));
}

struct prefixed_server {
  const server_entry* server;
  std::string prefix;
};

bool is_told(const std::vector<std::pair<std::string, std::string>>& texts) {
  return std::ranges::any_of(texts, [](auto& one) { return protocol::depends_on_caller(one.second); });
}

void check_caller_needs(const server_entry& server, const gateway_options& gateway) {
  const auto& auth = gateway.auth;
  const auto asks_for_certificates = gateway.tls && !gateway.tls->client_ca.empty();
  const auto& from = server.options.source;
  const auto* far = std::get_if<remote_server>(&from);
  const auto* program = std::get_if<command_server>(&from);
  const auto how = server.options.sharing;
  const auto why = protocol::fault_of_needs(
      {.is_told = far ? is_told(far->headers) : program && is_told(program->environment),
       .exchanges = far && far->auth && far->auth->grant == grant_options::kind::token_exchange,
       .has_one_caller = how != sharing::shared && how != sharing::pool,
       .knows_callers = !auth.keys_file.empty() || auth.issuer || asks_for_certificates,
       .knows_tokens = auth.issuer.has_value()});
  if (!why.empty())
    server.entry.error(why);
}

void check_server_grant(const server_entry& server) {
  const auto* far = std::get_if<remote_server>(&server.options.source);
  if (!far || !far->auth)
    return;
  const auto& auth = *far->auth;
  const auto is_own = [](auto& header) { return protocol::same_word(header.first, "Authorization"); };
  const auto why = protocol::fault_of_grant({auth.issuer,
                                             auth.token_endpoint,
                                             auth.client_id,
                                             auth.client_secret,
                                             auth.resource,
                                             {auth.scopes.begin(), auth.scopes.end()},
                                             std::ranges::any_of(far->headers, is_own)});
  if (!why.empty())
    server.entry.error(why);
}

/// Reports exchanged tokens in a cluster without TLS: they could be read on the network.
void check_travel(const server_entry& server, const std::optional<cluster_options>& cluster) {
  const auto* far = std::get_if<remote_server>(&server.options.source);
  const auto exchanges = far && far->auth && far->auth->grant == grant_options::kind::token_exchange;
  if (exchanges && cluster && cluster->plain)
    server.entry.error("takes callers' tokens, which do not travel between nodes in plain: give `gateway.cluster.tls`");
}

bool has_callers_of(std::string_view issuer, const gateway_options& gateway) {
  const auto& auth = gateway.auth;
  if (issuer == protocol::key_issuer)
    return !auth.keys_file.empty();
  if (issuer == protocol::certificate_issuer)
    return gateway.tls && !gateway.tls->client_ca.empty();
  return auth.issuer && (issuer == protocol::any_token_issuer || protocol::same_uri(issuer, auth.issuer->url));
}

/// Warns of unknown issuers. A typo there refuses all callers, as if the server did not exist.
void check_issuers(const server_entry& server, const gateway_options& gateway) {
  const auto& access = server.options.access;
  std::set<std::string> unknown;
  const auto look = [&](const allowed_callers& rule) {
    std::ranges::copy_if(rule.issuers, std::inserter(unknown, unknown.end()),
                         [&](const std::string& one) { return !has_callers_of(one, gateway); });
  };
  look(access.server);
  for (const auto* things : {&access.tools, &access.prompts, &access.resources})
    for (const auto& [pattern, rule] : *things)
      look(rule);
  for (const auto& member : unknown.empty() ? std::vector<config_member>{} : server.entry.members())
    if (member.name == "access")
      for (const auto& one : unknown)
        member.value.warn(
            "names the issuer `" + protocol::one_line(one) +
            "`, of which the gateway takes no callers: that lets nobody in. Name the issuer as `auth.issuer` "
            "does, or `key`, `certificate` or `token`, where `auth` or `tls` takes such");
}

/// Search path for programs if no variable sets one.
constexpr auto usual_path = "/usr/local/bin:/usr/bin:/bin";

bool is_program(const std::string& path) {
  struct stat what = {};
  return ::stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string search_path(const command_server& server, const environment_lookup& environment) {
  const auto own = std::ranges::find(
      server.environment, "PATH", [](auto& one) -> auto& { return one.first; });
  return own != server.environment.end() ? own->second : environment("PATH").value_or(usual_path);
}

bool is_in(std::string_view path, const std::string& program) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    if (is_program(std::string(path.substr(begin, end - begin)) + '/' + program))
      return true;
    begin = end + 1;
  }
  return false;
}

/// Returns why the program cannot be started; empty if it can. No value of the file is shown.
std::optional<std::string> why_not_found(const command_server& server, const environment_lookup& environment) {
  if (server.program.find('/') == std::string::npos) {
    if (is_in(search_path(server, environment), server.program))
      return std::nullopt;
    return server.program.find(' ') != std::string::npos
               ? "is not found in the directories of `PATH`: it has a blank, its arguments go into `args`"
               : "is not found in the directories of `PATH`: install it, or write the whole path";
  }
  if (is_program(server.program))
    return std::nullopt;
  std::error_code ignored;
  return std::filesystem::exists(server.program, ignored) ? "is no file that may be executed"
                                                          : "is a file that is not there";
}

} // namespace

void check_prefixes(const std::vector<server_entry>& servers) {
  std::vector<prefixed_server> seen;
  const server_entry* unprefixed = nullptr;
  for (const auto& one : servers) {
    if (!one.options.prefixed) {
      if (unprefixed)
        one.entry.warn("has no prefix, as `" + unprefixed->options.name +
                       "`: where both have a tool of one name, clients see that of `" + unprefixed->options.name + "`");
      else
        unprefixed = &one;
      continue;
    }
    prefixed_server next{&one, prefix_of(one.options)};
    const auto earlier =
        std::ranges::find_if(seen, [&](auto& other) { return protocol::may_share_names(other.prefix, next.prefix); });
    // Servers with equal names are reported elsewhere.
    if (earlier != seen.end() && earlier->server->options.name != one.options.name)
      one.entry.error("its tools could be named as those of `" + earlier->server->options.name + "`: set `prefix`");
    seen.push_back(std::move(next));
  }
}

void check_callers(const std::vector<server_entry>& servers, const gateway_options& gateway) {
  for (const auto& server : servers) {
    check_caller_needs(server, gateway);
    check_server_grant(server);
    check_travel(server, gateway.cluster);
    check_issuers(server, gateway);
  }
}

void check_programs(const std::vector<server_entry>& servers, const environment_lookup& environment) {
  for (const auto& one : servers) {
    const auto* const server = std::get_if<command_server>(&one.options.source);
    const auto why = server && !server->program.empty() ? why_not_found(*server, environment) : std::nullopt;
    if (!why)
      continue;
    for (const auto& member : one.entry.members())
      if (member.name == "command")
        member.value.warn(*why);
  }
}

} // namespace troupe::deploy
