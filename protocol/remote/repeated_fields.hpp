#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/message.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <list>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Copy of a tool call, kept until it is answered.
struct kept_call {
  message what;
  byte_budget::share bytes;
};

/// Tool calls refused because their header fields contradict their bodies. The rules that they were written by may be
/// old or unknown, so the tools are listed again before each is sent once more (2026-07-28, transports, "Custom Headers
/// from Tool Parameters").
class mismatched_calls {
public:
  struct one {
    kept_call call;
    message error;
  };

  /// Limit of list pages to read.
  static constexpr int most_pages = 100;

  bool empty() const { return calls_.empty(); }
  void add(kept_call call, message error) { calls_.push_back({std::move(call), std::move(error)}); }
  /// Removes a call that was cancelled.
  void drop(std::string_view id);
  /// Returns the request for a page of tools, with the first call's `_meta`. `cursor`: JSON token, empty for page one.
  message list_request(std::string_view cursor) const;
  std::list<one> extract_all() { return std::exchange(calls_, {}); }

private:
  std::list<one> calls_;
};

/// Returns the answer to `tools/list` without tools that cannot be called because their schemas' rules for header
/// fields are invalid (2026-07-28, transports, "Custom Headers from Tool Parameters"). Logs the first such tool to
/// `out` unless `is_noted`, and sets `is_noted`.
message with_usable_tools(message answer, bool& is_noted, remote_effects& out);

/// Returns the fields that repeat parts of the body of a 2026-07-28 request (transports, "Standard Headers" and "Custom
/// Headers from Tool Parameters"): `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, and `Mcp-Param-*` by the rules of
/// the called tool.
http_fields repeated_fields(const message& request, const tool_rules& rules);

} // namespace troupe::protocol
