#pragma once

#include "deploy/config/config_value.hpp"
#include "deploy/program/flag_checks.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Adds a flag whose value is one of these names, which is written to `typed`.
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

/// What such a name stands for.
template <class Value>
Value chosen(const choices<Value>& values, const std::string& typed) {
  return std::find_if(values.begin(), values.end(), [&](auto& choice) { return choice.first == typed; })->second;
}

} // namespace troupe::deploy
