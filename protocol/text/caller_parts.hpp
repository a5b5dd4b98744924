#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a part of a text begins with that depends on who asks, `${principal.NAME}`.
inline constexpr std::string_view caller_mark = "${principal.";

/// A part of a text: what it says itself, or the name of what is known of the caller.
struct caller_part {
  std::string_view text;
  bool is_name = false;
  friend bool operator==(const caller_part&, const caller_part&) = default;
};

/// Splits a text at its `${principal.NAME}`. The parts are views of it.
std::vector<caller_part> caller_parts(std::string_view text);

/// Whether a text depends on who asks.
inline bool depends_on_caller(std::string_view text) { return text.find(caller_mark) != text.npos; }

/// What is wrong with the parts of a text that depend on who asks; empty when nothing is.
std::string fault_of_caller_parts(std::string_view text);

} // namespace troupe::protocol
