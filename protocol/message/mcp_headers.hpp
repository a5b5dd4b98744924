#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Encoding of 2026-07-28 header fields that repeat a part of the body, such as `Mcp-Name` (2026-07-28, transports,
// "Value Encoding"): the text as it is, or `=?base64?<padded base64 of its UTF-8>?=`.

/// Decodes the value of a field. A value without the exact marks is the text itself. Nullopt if the text between the
/// marks is no base64, or no UTF-8.
std::optional<std::string> decoded_header(std::string_view value);

/// Encodes a UTF-8 text as the value of a field; in base64 only if necessary.
std::string encoded_header(std::string_view text);

/// Returns the param that `Mcp-Name` repeats (2026-07-28, transports, "Standard Headers"); empty for a method that has
/// no such field.
std::string_view naming_param(const message& request);

/// Argument that a client repeats in the header field `Mcp-Param-` plus `header`, because the tool's schema has an
/// `x-mcp-header`.
struct argument_rule {
  std::string header;
  /// Names of the argument and of the objects around it, outermost first.
  std::vector<std::string> path;

  friend bool operator==(const argument_rule&, const argument_rule&) = default;
};

/// Limits of one tool: rules, and bytes of the names in them. A tool that exceeds them is treated as having no rules.
inline constexpr std::size_t most_rules_of_tool = 100;
inline constexpr std::size_t most_names_of_tool = std::size_t{64} << 10;

/// Reads the rules of an `inputSchema`. Empty if an annotation is invalid (2026-07-28, transports, "Custom Headers from
/// Tool Parameters"), or if there are too many.
std::vector<argument_rule> read_argument_rules(std::string_view input_schema);

/// Whether an annotation is invalid, or there are too many annotations: clients over HTTP leave such a tool out of the
/// lists that they show.
bool has_invalid_annotation(std::string_view input_schema);

/// Limits of all tools of one server: rules, and bytes of the names in them. Further tools are treated as having no
/// rules.
inline constexpr std::size_t most_argument_rules = 10'000;
inline constexpr std::size_t most_argument_names = 1024 * 1024;

/// Longest tool name, in bytes. Rules of tools with longer names are ignored.
inline constexpr std::size_t most_tool_name = std::size_t{8} << 10;

/// Rules of all listed tools of a server: which arguments are repeated in header fields.
class tool_rules {
public:
  /// Replaces the rules of each tool in a result of `tools/list`.
  void learn(std::string_view tools_list_result);

  bool empty() const { return tools_.empty(); }
  /// Returns the rules of one tool; null if it has none.
  const std::vector<argument_rule>* of(std::string_view tool) const;

private:
  /// Rules of a tool, and shares for their number and for the bytes of all names.
  struct known_tool {
    std::vector<argument_rule> rules;
    byte_budget::share count, names;
  };

  void learn_tool(std::string_view tool);

  byte_budget rules_{most_argument_rules};
  byte_budget names_{most_argument_names};
  std::map<std::string, known_tool, std::less<>> tools_;
};

} // namespace troupe::protocol
