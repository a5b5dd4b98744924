#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Beginning of a placeholder, `${principal.NAME}`, for an attribute of the caller.
inline constexpr std::string_view caller_mark = "${principal.";

/// Part of a text: literal text, or the name of an attribute of the caller.
struct caller_part {
  std::string_view text;
  bool is_name = false;
  friend bool operator==(const caller_part&, const caller_part&) = default;
};

/// Splits a text at its `${principal.NAME}` placeholders. The parts are views of the text.
std::vector<caller_part> caller_parts(std::string_view text);

/// Whether a text depends on the caller.
inline bool depends_on_caller(std::string_view text) { return text.find(caller_mark) != text.npos; }

/// Returns the error in the placeholders of a text; empty if there is none.
std::string fault_of_caller_parts(std::string_view text);

} // namespace troupe::protocol
