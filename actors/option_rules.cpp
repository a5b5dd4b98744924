#include "actors/option_rules.hpp"

#include "protocol/cluster_rules.hpp"

#include <algorithm>

namespace troupe::actors {

std::optional<std::string> why_not(const gateway_options& options) {
  if (options.cluster)
    for (const auto& [option, text] : faults_of(protocol::plan_of(*options.cluster)))
      return "cluster." + std::string(protocol::cluster_members[static_cast<std::size_t>(option)]) + ' ' + text;
  const bool has_store = options.cluster && !options.cluster->store.empty();
  auto is_lost = [&](const server_options& one) { return one.recovery == recovery::restore && !has_store; };
  if (const auto found = std::ranges::find_if(options.servers, is_lost); found != options.servers.end())
    return "the server " + found->name + " is to be restored, which takes cluster.store";
  return std::nullopt;
}

} // namespace troupe::actors
