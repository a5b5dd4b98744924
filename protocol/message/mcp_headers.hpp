#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// How header fields of 2026-07-28 that repeat a part of the body, such as `Mcp-Name`, carry any text (2026-07-28,
// transports, "Value Encoding"): as it is, or as `=?base64?<padded base64 of its UTF-8>?=`.

/// The text that a field's value means. A value without the marks, which are exact, means itself. Nothing when what is
/// between the marks is no base64, or no UTF-8.
std::optional<std::string> decoded_header(std::string_view value);

/// The value of a field for a text of UTF-8; encoded only where it must be.
std::string encoded_header(std::string_view text);

/// The param that `Mcp-Name` repeats (2026-07-28, transports, "Standard Headers"); empty for a
/// method that has no such field.
std::string_view naming_param(const message& request);

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

/// Most arguments of tools that are known to be repeated in header fields, and most bytes of their names: further tools
/// of one server are taken to have none.
inline constexpr std::size_t most_argument_rules = 10'000;
inline constexpr std::size_t most_argument_names = 1024 * 1024;

/// Most bytes of a tool's name: what lists say of tools with longer ones is ignored.
inline constexpr std::size_t most_tool_name = std::size_t{8} << 10;

/// Which arguments of a server's tools are repeated in header fields, for all tools that were listed.
class tool_rules {
public:
  /// Takes the rules of each tool in a result of `tools/list`, in place of those that it had.
  void learn(std::string_view tools_list_result);

  bool empty() const { return tools_.empty(); }
  /// Those of one tool; null when it has none.
  const std::vector<argument_rule>* of(std::string_view tool) const;

private:
  using by_name = std::map<std::string, std::vector<argument_rule>, std::less<>>;

  void learn_tool(std::string_view tool);
  void forget_tool(by_name::iterator at);

  by_name tools_;
  /// Of all tools.
  std::size_t rules_ = 0;
  /// The bytes of their names.
  std::size_t names_ = 0;
};

} // namespace troupe::protocol
