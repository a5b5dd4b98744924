#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/server_checks.hpp"
#include "protocol/options/cluster_rules.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

// Names of the cluster options, in flags and in files.

inline constexpr protocol::cluster_option_names cluster_flags = {
    "--node",         "--cluster-listen",   "--cluster-advertise",   "--join",          "--cluster-key",
    "--cluster-cert", "--cluster-cert-key", "--cluster-ca",          "--cluster-plain", "--heartbeat",
    "--store",        "--store-ca",         "--restores-per-second", "--members-file"};
inline constexpr protocol::cluster_option_names cluster_keys = {"gateway.cluster.node",
                                                                "gateway.cluster.listen",
                                                                "gateway.cluster.advertise",
                                                                "gateway.cluster.join",
                                                                "gateway.cluster.keyFile",
                                                                "gateway.cluster.tls.cert",
                                                                "gateway.cluster.tls.key",
                                                                "gateway.cluster.tls.ca",
                                                                "gateway.cluster.plain",
                                                                "gateway.cluster.heartbeat",
                                                                "gateway.cluster.store",
                                                                "gateway.cluster.storeCa",
                                                                "gateway.cluster.restoresPerSecond",
                                                                "gateway.cluster.membersFile"};

/// Entries of a file's section `gateway.cluster`, for reports with line numbers.
struct cluster_entries {
  /// Text of the section; empty if the file has none.
  std::string_view section;
  std::map<protocol::cluster_option, config_value> values;
  /// Options that were reported while the section was read, and are not reported again.
  std::set<protocol::cluster_option> refused;
};

/// Reads the section into the options.
cluster_entries read_cluster(const config_value& section, config_variables& variables, cluster_options& to);

/// Reports faults of the options after `apply_flags`. A report names the flag if a flag set the option or the file has
/// no such section, and the key otherwise.
void check_cluster(const cluster_options& options, const cluster_entries& entries, const std::set<std::string>& given,
                   config_report& report);

/// Reports each server that requires session restore while there is no store.
void check_recovery(const std::vector<server_entry>& servers, const std::optional<cluster_options>& cluster);

/// Overrides the file's options with those of the command line whose flags were given.
void apply_flags(std::optional<cluster_options>& file, const std::optional<cluster_options>& line,
                 const std::set<std::string>& given);

/// Returns the keys whose values differ, such as `gateway.cluster.node`.
std::vector<std::string> cluster_changes(const std::optional<cluster_options>& before,
                                         const std::optional<cluster_options>& after);

/// Keys of the section, and of `tls` in it.
std::vector<std::string_view> cluster_section_keys();
std::vector<std::string_view> cluster_tls_keys();

} // namespace troupe::deploy
