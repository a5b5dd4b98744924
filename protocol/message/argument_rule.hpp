#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// An argument that a client repeats as the header field `Mcp-Param-` and this name, because the tool's schema says so
/// with `x-mcp-header`.
struct argument_rule {
  std::string header;
  /// The names of the argument and of the objects around it, outermost first.
  std::vector<std::string> path;

  friend bool operator==(const argument_rule&, const argument_rule&) = default;
};

/// Most rules of one tool, and most bytes of the names in them: a tool that has more is taken to have none.
inline constexpr std::size_t most_rules_of_tool = 100;
inline constexpr std::size_t most_names_of_tool = std::size_t{64} << 10;

/// The rules that an `inputSchema` makes; none when one of its annotations is not valid (2026-07-28, transports,
/// "Custom Headers from Tool Parameters"), or when there are too many.
std::vector<argument_rule> read_argument_rules(std::string_view input_schema);

/// Whether there are none because an annotation is not valid, or there are too many: clients over HTTP leave such a
/// tool out of what they show.
bool has_invalid_annotation(std::string_view input_schema);

} // namespace troupe::protocol
