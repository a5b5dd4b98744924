#include "deploy/program/limit_flags.hpp"

#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_times.hpp"

#include <chrono>

namespace troupe::deploy {

namespace {

/// A flag, what it is parsed into, and the option that it is for.
struct time_flag {
  const char* name;
  std::string limit_flag_values::*typed;
  std::chrono::milliseconds gateway_options::*option;
  const char* text;
};

constexpr time_flag time_flags[] = {
    {"--session-timeout", &limit_flag_values::session_timeout, &gateway_options::session_timeout,
     "End a session after this long without use"},
    {"--abandoned-timeout", &limit_flag_values::abandoned_timeout, &gateway_options::abandoned_timeout,
     "The same once its client has lost its stream"},
    {"--lease-time", &limit_flag_values::lease_time, &gateway_options::lease_time,
     "Keep what a caller of 2026-07-28 uses for this long after its last call"},
    {"--request-timeout", &limit_flag_values::request_timeout, &gateway_options::request_timeout,
     "Fail a call after this long without answer or progress"},
    {"--stream-time", &limit_flag_values::stream_time, &gateway_options::stream_time,
     "Close a stream's connection after this long; its client comes back for the rest (default: never)"}};

} // namespace

void add_limit_flags(CLI::App& app, gateway_options& options, limit_flag_values& typed) {
  for (const auto& flag : time_flags) {
    auto* const added =
        app.add_option(flag.name, typed.*flag.typed, flag.text)->check(must_be_time())->type_name("TIME");
    if (const auto time = options.*flag.option; time.count() > 0)
      added->default_str(time_text(time));
  }
  app.add_option("--max-body", options.max_body, "Longest request body")
      ->check(must_be_positive())
      ->type_name("BYTES")
      ->capture_default_str();
  app.add_option("--max-sessions", options.max_sessions, "Sessions at the same time")
      ->check(must_be_positive())
      ->type_name("N")
      ->capture_default_str();
}

void set_limits(gateway_options& options, const limit_flag_values& typed) {
  for (const auto& flag : time_flags)
    if (const auto time = flag_time(typed.*flag.typed))
      options.*flag.option = *time;
}

} // namespace troupe::deploy
