#pragma once

#include "tests/simulation/faults.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/planted.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

struct run_setup;

/// Names of all values of an enumeration, in their order, as in options and printed plans.
template <class Value>
const std::vector<std::string_view>& names();
template <>
const std::vector<std::string_view>& names<fault_kind>();
template <>
const std::vector<std::string_view>& names<rule>();
template <>
const std::vector<std::string_view>& names<planted>();

template <class Value>
std::string_view name_of(Value value) {
  return names<Value>().at(static_cast<std::size_t>(value));
}

/// The value with that name.
template <class Value>
std::optional<Value> named(std::string_view name) {
  auto& all = names<Value>();
  auto found = std::ranges::find(all, name);
  return found == all.end() ? std::nullopt : std::optional{static_cast<Value>(found - all.begin())};
}

/// Prints a run as an entry of `known_runs.cpp`.
void print_known(const run_setup& setup, const fault_plan& plan, rule broken, std::ostream& out);

} // namespace troupe::tests::simulation
