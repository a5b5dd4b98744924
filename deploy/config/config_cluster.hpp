#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_prefixes.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"
#include "protocol/options/cluster_rules.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Where a file says something of its cluster, in the section `gateway.cluster`.
struct cluster_places {
  /// Empty when the file has no such section.
  std::string_view section;
  std::map<protocol::cluster_option, config_value> values;
  /// What was reported while it was read.
  std::set<protocol::cluster_option> refused;
};

/// Reads the section into the options.
cluster_places read_cluster(const config_value& section, config_variables& variables, cluster_options& to);

/// Reports what is wrong with the options as they are once flags have outranked them. What a flag said is called by the
/// flag, and so is everything where the file has no such section.
void check_cluster(const cluster_options& options, const cluster_places& places, const std::set<std::string>& given,
                   config_report& report);

/// Reports each server whose sessions are to be restored while there is no store.
void check_recovery(const std::vector<placed_server>& servers, const std::optional<cluster_options>& cluster);

/// `file`, and from `line` those options whose flags were given.
void outrank(std::optional<cluster_options>& file, const std::optional<cluster_options>& line,
             const std::set<std::string>& given);

/// The keys of which the two say different things, such as `gateway.cluster.node`.
std::vector<std::string> cluster_changes(const std::optional<cluster_options>& before,
                                         const std::optional<cluster_options>& after);

/// The keys of the section, and of `tls` in it.
std::vector<std::string_view> cluster_section_keys();
std::vector<std::string_view> cluster_tls_keys();

} // namespace troupe::deploy
