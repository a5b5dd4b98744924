#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Trace options from the environment (OpenTelemetry, "Environment Variable Specification" and "OpenTelemetry Protocol
/// Exporter").
struct trace_environment {
  /// Options from variables, and defaults; without an endpoint if no variable names one.
  trace_options options;
  /// True if tracing is disabled, regardless of other options.
  bool is_off = false;
  /// Problems of variables, which are ignored. The texts contain no values.
  std::vector<std::string> problems = {};
};

trace_environment read_trace_environment(const environment_lookup& environment);

/// Applies the environment to the options of a command line or a file, and logs the problems of its variables.
void apply_trace_environment(std::optional<trace_options>& to, const environment_lookup& environment,
                             const log_sink& log);

/// Sets the sampler of that name, such as `parentbased_always_on`; false if there is none.
bool choose_sampler(std::string_view name, trace_options& to);
/// True if the sampler of that name takes a ratio; the default ratio is 1.
bool takes_ratio(std::string_view name);

/// Returns the names of the samplers.
std::vector<std::string_view> sampler_names();

/// Parses a ratio from 0 to 1.
std::optional<double> read_ratio(std::string_view text);

/// Reads the section `gateway.traces`. The environment provides the options that the section lacks.
trace_options read_traces(const config_value& section, config_variables& variables);

/// Keys of the section.
std::vector<std::string_view> traces_keys();

} // namespace troupe::deploy
