#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/message.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <list>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// A call of a tool as it was sent, kept until it is answered.
struct kept_call {
  message what;
  byte_budget::share bytes;
};

/// Calls of tools whose header fields, as the server has answered, do not say what their bodies say: the rules that
/// they were written by may be old or unknown, so that the tools are listed anew before each is sent once more
/// (2026-07-28, transports, "Custom Headers from Tool Parameters").
class mismatched_calls {
public:
  struct one {
    kept_call call;
    message error;
  };

  /// Most pages of the list that are read.
  static constexpr int most_pages = 100;

  bool empty() const { return calls_.empty(); }
  void add(kept_call call, message error) { calls_.push_back({std::move(call), std::move(error)}); }
  /// The call was cancelled.
  void drop(std::string_view id);
  /// The request for a page of the list, for who has called first; `cursor` is a JSON token, empty for the first page.
  message list_request(std::string_view cursor) const;
  std::list<one> take() { return std::exchange(calls_, {}); }

private:
  std::list<one> calls_;
};

/// The answer to `tools/list` without the tools that cannot be called, since what their schemas say of header fields is
/// not valid (2026-07-28, transports, "Custom Headers from Tool Parameters"). The first that is left out is noted in
/// `out` unless `is_noted`, which is set then.
message with_usable_tools(message answer, bool& is_noted, remote_effects& out);

/// The header fields that repeat what is in the body of a request of 2026-07-28 (transports, "Standard Headers" and
/// "Custom Headers from Tool Parameters"): `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, and `Mcp-Param-*` as the
/// rules of the called tool say.
http_fields repeated_fields(const message& request, const tool_rules& rules);

} // namespace troupe::protocol
