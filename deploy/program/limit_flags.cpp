#include "deploy/program/limit_flags.hpp"

#include "deploy/program/flag_checks.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>

namespace troupe::deploy {

namespace {

/// A flag, where its seconds are parsed into, and the option that they are for.
struct time_flag {
  const char* name;
  double limit_flag_values::*typed;
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
     "Fail a call after this long without answer or progress"}};

double to_seconds(std::chrono::milliseconds time) { return std::chrono::duration<double>(time).count(); }

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(seconds * 1000))};
}

void add_time_flags(CLI::App& app, const gateway_options& options, limit_flag_values& typed) {
  for (const auto& flag : time_flags) {
    typed.*flag.typed = to_seconds(options.*flag.option);
    app.add_option(flag.name, typed.*flag.typed, flag.text)
        ->check(must_be_seconds())
        ->type_name("SECONDS")
        ->capture_default_str();
  }
  app.add_option("--stream-time", typed.stream_time,
                 "Close a stream's connection after this long; its client comes back for the rest (default: never)")
      ->check(must_be_seconds())
      ->type_name("SECONDS");
}

} // namespace

void add_limit_flags(CLI::App& app, gateway_options& options, limit_flag_values& typed) {
  add_time_flags(app, options, typed);
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
    options.*flag.option = to_milliseconds(typed.*flag.typed);
  options.stream_time = to_milliseconds(typed.stream_time);
}

} // namespace troupe::deploy
