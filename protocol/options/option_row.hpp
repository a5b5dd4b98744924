#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Least and greatest value of an option.
struct bounds {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  constexpr bool contain(std::uint64_t value) const { return value >= least && value <= most; }
};

/// Form of an option that is a text, or of each text of a list.
enum class text_form {
  filled,
  /// Not empty after its variables, such as `${NAME}`, are expanded.
  expanded,
  /// Address of a node, after its variables are expanded.
  host_port,
  /// A file that can be read; in a configuration file relative to the directory of that file.
  readable_file,
  /// A file that may not exist yet; relative likewise.
  file,
  /// A path of HTTP at which the gateway can answer.
  http_path,
  /// An address or a network of IP.
  network
};

/// Rule for the value of an option: bounds of a number or time, or the form of a text. The bounds of a time are
/// milliseconds; only the least is checked.
struct value_rule {
  bounds within = {};
  text_form form = text_form::filled;

  constexpr value_rule() = default;
  constexpr value_rule(bounds of) : within{of} {}
  constexpr value_rule(std::uint64_t least, std::uint64_t most) : within{least, most} {}
  constexpr value_rule(text_form of) : form{of} {}
};

inline constexpr bounds above_zero{1, 0};
inline constexpr bounds zero_or_above{0, 0};

/// Groups of flags in the help.
enum class flag_group { access, limit, cluster, process };

/// Flag of an option; without a name if only the configuration file has the option.
struct option_flag {
  std::string_view name = {};
  /// Name of the value in the help; empty for a switch.
  std::string_view value_name = {};
  flag_group group = flag_group::limit;
};

/// Row of an option of `Options`: the only place with its key, flag, bounds and text. The reading of the configuration
/// file, the flags, the checks, the schema, the help and the pages are made from rows. The default is the member's.
template <class Options>
struct option_row {
  using size_member = std::size_t Options::*;
  using port_member = std::uint16_t Options::*;
  using time_member = std::chrono::milliseconds Options::*;
  using switch_member = bool Options::*;
  using text_member = std::string Options::*;
  using list_member = std::vector<std::string> Options::*;

  /// Key in the section of the configuration file.
  std::string_view key;
  std::variant<size_member, port_member, time_member, switch_member, text_member, list_member> member;
  value_rule rule;
  /// Description in one or two sentences.
  std::string_view text;
  option_flag flag;

  template <class Value>
  constexpr option_row(std::string_view of, Value Options::*which, value_rule has_to_be, std::string_view says,
                       option_flag by = {})
      : key{of}, member{which}, rule{has_to_be}, text{says}, flag{by} {}

  /// Makes this option of `to` the one of `from`.
  void copy(const Options& from, Options& to) const {
    std::visit([&](auto which) { to.*which = from.*which; }, member);
  }
  bool is_same(const Options& one, const Options& other) const {
    return std::visit([&](auto which) { return one.*which == other.*which; }, member);
  }
};

/// Rows of a table; the compiler finds `Options` by the other arguments of a function.
template <class Options>
using option_rows = std::type_identity_t<std::span<const option_row<Options>>>;

/// Name of a key's member in the options of a host: `max_body` for `maxBody`.
std::string member_name(std::string_view key);

/// Returns why a number or a time is outside of its bounds, in words that follow its name; empty if it is not.
std::string fault_of_bounds(std::uint64_t value, bounds within);
std::string fault_of_bounds(std::chrono::milliseconds value, bounds within);

/// Returns the first number or time of a host's options that is outside of its bounds, by `above` (such as `limits.`)
/// and the name of its member; empty if there is none. A default is never outside.
template <class Options>
std::string fault_of_options(option_rows<Options> rows, const Options& options, std::string_view above = {}) {
  const Options defaults;
  const auto fault_of = [&](const option_row<Options>& row) -> std::string {
    if (row.is_same(options, defaults))
      return {};
    if (const auto* size = std::get_if<typename option_row<Options>::size_member>(&row.member))
      return fault_of_bounds(std::uint64_t{options.**size}, row.rule.within);
    if (const auto* time = std::get_if<typename option_row<Options>::time_member>(&row.member))
      return fault_of_bounds(options.**time, row.rule.within);
    return {};
  };
  for (const auto& row : rows)
    if (const auto why = fault_of(row); !why.empty())
      return std::string(above) + member_name(row.key) + ' ' + why;
  return {};
}

} // namespace troupe::protocol
