#pragma once

#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Whether the header fields of tool calls say what their bodies say, for all tools that a lease has listed: whoever
/// routes by the one must not be told something else than the server.
class argument_rules {
public:
  /// Takes the rules of each tool in a result of `tools/list`, in place of those that it had.
  void learn(std::string_view tools_list_result) { tools_.learn(tools_list_result); }

  bool is_empty() const { return tools_.empty(); }

  /// Why a `tools/call` is refused, whose `Mcp-Param-*` fields those are, names without that prefix. Fields that no
  /// rule is about do not count.
  std::optional<rejection> refuse(const message& tools_call,
                                  const std::vector<std::pair<std::string, std::string>>& arguments) const;

private:
  tool_rules tools_;
};

} // namespace troupe::protocol
