#pragma once

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"
#include "protocol/options/option_row.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::deploy {

// Reading, overriding and comparing options by their rows.

/// Reads a text of this form; empty, with a problem reported, if it is unusable.
std::optional<std::string> read_option_text(const config_value& value, protocol::text_form form,
                                            config_variables& variables);

/// Reads a list of texts of this form. Unusable ones are reported and left out.
std::vector<std::string> read_option_texts(const config_value& value, protocol::text_form form,
                                           config_variables& variables);

/// Reads a time that may be zero if the bounds allow it.
std::optional<std::chrono::milliseconds> read_option_time(const config_value& value, protocol::bounds within);

/// Reads the value of an option. Returns false, and changes nothing, if it is unusable.
template <class Options>
bool read_option(const protocol::option_row<Options>& row, const config_value& value, config_variables& variables,
                 Options& to) {
  const auto set = [&to](auto member, auto read) {
    if (read)
      to.*member = std::move(*read);
    return read.has_value();
  };
  struct reader {
    const protocol::option_row<Options>& row;
    const config_value& value;
    config_variables& variables;

    auto operator()(std::size_t Options::*) const { return value.whole(row.rule.within.least, row.rule.within.most); }
    auto operator()(std::uint16_t Options::*) const { return value.whole(row.rule.within.least, row.rule.within.most); }
    auto operator()(std::chrono::milliseconds Options::*) const { return read_option_time(value, row.rule.within); }
    auto operator()(bool Options::*) const { return value.boolean(); }
    auto operator()(std::string Options::*) const { return read_option_text(value, row.rule.form, variables); }
    auto operator()(std::vector<std::string> Options::*) const {
      return std::optional{read_option_texts(value, row.rule.form, variables)};
    }
  };
  const reader read{row, value, variables};
  return std::visit([&](auto member) { return set(member, read(member)); }, row.member);
}

/// Reads a member of a section; false if no row has its key.
template <class Options>
bool read_member(const config_member& member, protocol::option_rows<Options> rows, config_variables& variables,
                 Options& to) {
  const auto row = std::ranges::find(rows, member.name, &protocol::option_row<Options>::key);
  if (row == rows.end())
    return false;
  read_option(*row, member.value, variables, to);
  return true;
}

/// Overrides the file's options with those of the command line whose flags were given.
template <class Options>
void override_options(protocol::option_rows<Options> rows, Options& file, const Options& line,
                      const std::set<std::string>& given) {
  for (const auto& row : rows)
    if (given.contains(std::string(row.flag.name)))
      row.copy(line, file);
}

/// Whether a flag of one of the rows was given.
template <class Options>
bool has_flag(protocol::option_rows<Options> rows, const std::set<std::string>& given) {
  return std::ranges::any_of(rows, [&](const auto& row) { return given.contains(std::string(row.flag.name)); });
}

/// Returns these keys, and those of the rows.
template <class Options>
std::vector<std::string_view> keys_of(protocol::option_rows<Options> rows, std::vector<std::string_view> others = {}) {
  for (const auto& row : rows)
    others.push_back(row.key);
  return others;
}

} // namespace troupe::deploy
