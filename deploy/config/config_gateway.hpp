#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_cluster.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/config/config_value.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Keys of the section `gateway.limits`, and of `perAddress` in it.
std::vector<std::string_view> limits_keys();
std::vector<std::string_view> address_limits_keys();

/// Reads the section `gateway` into the file's options. Returns the entries of its cluster.
cluster_entries read_gateway(const config_value& value, config_variables& variables, config_file& file);

/// Overrides the file's options with those of the command line whose flags were given, such as `--port`.
void apply_flags(gateway_options& file, const gateway_options& line, const std::set<std::string>& given);

/// Returns the keys under `gateway` whose values differ between two files, such as `gateway.port`.
std::vector<std::string> gateway_changes(const config_file& before, const config_file& after);

/// Keys of the section, and of `log` and `accessLog` in it.
std::vector<std::string_view> gateway_keys();
std::vector<std::string_view> log_keys();
std::vector<std::string_view> access_log_keys();

} // namespace troupe::deploy
