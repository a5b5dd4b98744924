#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// What the environment says of traces (OpenTelemetry, "Environment Variable Specification" and "OpenTelemetry Protocol
/// Exporter").
struct trace_environment {
  /// The variables that are set, and defaults; without an endpoint when it names none.
  trace_options options;
  /// Nothing is traced, whatever else is said.
  bool is_off = false;
  /// What is wrong with variables, which are ignored. No values.
  std::vector<std::string> problems = {};
};

trace_environment read_trace_environment(const environment_lookup& environment);

/// Completes the options of a command line or a file by those of the environment, and tells the log what is wrong with
/// that.
void apply_trace_environment(std::optional<trace_options>& to, const environment_lookup& environment,
                             const log_sink& log);

/// The sampler of that name, such as `parentbased_always_on`, put into the options; false when there is none.
bool choose_sampler(std::string_view name, trace_options& to);
/// Whether the sampler of that name has a ratio, which is 1 unless told.
bool takes_ratio(std::string_view name);

/// The names of samplers.
std::vector<std::string_view> sampler_names();

/// A share from 0 to 1.
std::optional<double> read_ratio(std::string_view text);

/// Reads the section `gateway.traces`. What it does not say is as the environment says.
trace_options read_traces(const config_value& section, config_variables& variables);

/// The keys of the section.
std::vector<std::string_view> traces_keys();

} // namespace troupe::deploy
