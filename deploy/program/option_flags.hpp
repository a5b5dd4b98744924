#pragma once

#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_values.hpp"
#include "protocol/options/option_row.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::deploy {

/// Description of an option in the help.
inline std::string flag_description(std::string_view text, bool may_be_repeated) {
  text.remove_suffix(text.ends_with('.') ? 1 : 0);
  return std::string(text) + (may_be_repeated ? "; may be repeated" : "");
}

/// Adds the flag of an option, by the type of its member.
template <class Options>
class flag_adder {
public:
  flag_adder(CLI::App& app, const protocol::option_row<Options>& row, Options& to) : app_(app), row_(row), to_(to) {}

  CLI::Option* operator()(std::size_t Options::*member) const { return add_whole(to_.*member); }
  CLI::Option* operator()(std::uint16_t Options::*member) const { return add_whole(to_.*member); }
  CLI::Option* operator()(std::chrono::milliseconds Options::*member) const {
    auto& value = to_.*member;
    const auto set = [&value](const std::string& typed) { value = flag_time(typed).value_or(value); };
    auto* const added =
        app_.add_option_function<std::string>(name(), set, text())->check(must_be_time(row_.rule.within));
    return value.count() > 0 ? added->default_str(time_text(value)) : added;
  }
  CLI::Option* operator()(bool Options::*member) const { return app_.add_flag(name(), to_.*member, text()); }
  CLI::Option* operator()(std::string Options::*member) const {
    auto* const added = app_.add_option(name(), to_.*member, text())->check(must_have_form(row_.rule.form));
    return (to_.*member).empty() ? added : added->capture_default_str();
  }
  CLI::Option* operator()(std::vector<std::string> Options::*member) const {
    return app_.add_option(name(), to_.*member, text(true))
        ->check(must_have_form(row_.rule.form))
        ->allow_extra_args(false);
  }

private:
  std::string name() const { return std::string(row_.flag.name); }
  std::string text(bool may_be_repeated = false) const { return flag_description(row_.text, may_be_repeated); }

  template <class Whole>
  CLI::Option* add_whole(Whole& value) const {
    auto* const added = app_.add_option(name(), value, text())->check(must_be_within(row_.rule.within));
    return row_.rule.within.contain(value) ? added->capture_default_str() : added;
  }

  CLI::App& app_;
  const protocol::option_row<Options>& row_;
  Options& to_;
};

/// Adds the flags of the rows in this group. Parsing writes to `to`, whose values are the defaults.
template <class Options>
void add_option_flags(CLI::App& app, protocol::option_rows<Options> rows, protocol::flag_group group, Options& to) {
  for (const auto& row : rows)
    if (!row.flag.name.empty() && row.flag.group == group)
      if (auto* const added = std::visit(flag_adder{app, row, to}, row.member); !row.flag.value_name.empty())
        added->type_name(std::string(row.flag.value_name));
}

} // namespace troupe::deploy
