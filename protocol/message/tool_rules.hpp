#pragma once

#include "protocol/message/argument_rule.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

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
