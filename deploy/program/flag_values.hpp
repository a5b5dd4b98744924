#pragma once

#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/program/flag_checks.hpp"
#include "protocol/options/option_row.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Adds a flag whose value is one of the names of `values`; the name is written to `typed`.
template <class Value>
void add_choice(CLI::App& app, const std::string& flag, std::string& typed, const choices<Value>& values,
                const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values)
    names.push_back(name);
  app.add_option(flag, typed, text)
      ->check(must_be_one_of(names))
      ->type_name(CLI::detail::join(names, "|"))
      ->capture_default_str();
}

/// Returns the value of a chosen name.
template <class Value>
Value chosen(const choices<Value>& values, const std::string& typed) {
  return std::find_if(values.begin(), values.end(), [&](auto& choice) { return choice.first == typed; })->second;
}

/// Parses a time: a number with a unit, as in the file (`500ms`, `30s`, `1.5m`, `1h`), or a number of seconds. Empty
/// when the text is no time.
std::optional<std::chrono::milliseconds> flag_time(const std::string& text);

CLI::Validator must_be_time(protocol::bounds within = protocol::above_zero);

/// Returns the flags of the command that were given, such as `--port`.
inline std::set<std::string> given_flags(const CLI::App& command) {
  std::set<std::string> result;
  for (const auto* option : command.get_options())
    if (option->count() > 0)
      result.insert(option->get_name());
  return result;
}

/// Parses header fields `NAME: VALUE` for a remote server, with `${VAR}` replaced as in a file. Throws
/// `CLI::ValidationError`, without the value, when a field cannot be sent or a name is repeated.
std::vector<std::pair<std::string, std::string>> typed_headers(const std::vector<std::string>& typed,
                                                               config_variables::callers named);

} // namespace troupe::deploy
