#include "actors/gateway/descriptor_budget.hpp"

#include "actors/gateway/caller_needs.hpp"
#include "net/process_resources.hpp"
#include "protocol/options/descriptor_shares.hpp"

#include <string>
#include <variant>

namespace troupe::actors {

namespace {

/// What a session takes that uses this server.
std::size_t descriptors_of(const server_options& server) {
  if (server.sharing == sharing::shared || (shares_modern(server) && server.era == era::modern))
    return 0;
  if (std::holds_alternative<command_server>(server.source))
    return protocol::descriptors_of_process;
  return std::holds_alternative<remote_server>(server.source) ? protocol::descriptors_of_remote : 0;
}

/// What a session takes that uses all servers.
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

} // namespace troupe::actors
