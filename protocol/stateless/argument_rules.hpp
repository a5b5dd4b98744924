#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/stateless/argument_rule.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Most arguments of tools that are checked against header fields, and most bytes of their names: further tools of one
/// lease are not checked.
inline constexpr std::size_t most_argument_rules = 10'000;
inline constexpr std::size_t most_argument_names = 1024 * 1024;

/// Most bytes of a tool's name: what lists say of tools with longer ones is ignored.
inline constexpr std::size_t most_tool_name = std::size_t{8} << 10;

/// Whether the header fields of tool calls say what their bodies say, for all tools that a lease has listed: whoever
/// routes by the one must not be told something else than the server.
class argument_rules {
public:
  /// Takes the rules of each tool in a result of `tools/list`, in place of those that it had.
  void learn(std::string_view tools_list_result);

  /// Why a `tools/call` is refused, whose `Mcp-Param-*` fields those are, names without that prefix. Fields that no
  /// rule is about do not count.
  std::optional<rejection> refuse(const message& tools_call,
                                  const std::vector<std::pair<std::string, std::string>>& arguments) const;

private:
  using tool_rules = std::map<std::string, std::vector<argument_rule>, std::less<>>;

  void learn_tool(std::string_view tool);
  void forget_tool(tool_rules::iterator at);

  tool_rules tools_;
  /// Of all tools.
  std::size_t rules_ = 0;
  /// The bytes of their names.
  std::size_t names_ = 0;
};

} // namespace troupe::protocol
