#pragma once

#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/adapter_requests.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Checks that the header fields of tool calls match their bodies, for all tools that a lease has listed. Proxies that
/// route by the fields must see the same values as the server.
class argument_rules {
public:
  /// Replaces the rules of each tool in a result of `tools/list`.
  void learn(std::string_view tools_list_result) { tools_.learn(tools_list_result); }

  bool is_empty() const { return tools_.empty(); }

  /// Returns why a `tools/call` is refused. `arguments` are its `Mcp-Param-*` fields, without that prefix. Fields
  /// without a rule are ignored.
  std::optional<rejection> refuse(const message& tools_call,
                                  const std::vector<std::pair<std::string, std::string>>& arguments) const;

private:
  tool_rules tools_;
};

/// Most pages of `tools/list` that the gateway reads to learn a server's tools.
inline constexpr std::size_t most_tool_pages = 50;
/// Most tools remembered for a server that only work as tasks.
inline constexpr std::size_t most_task_tools = 1000;

/// Pause before the list is requested again after a failed read.
inline constexpr std::chrono::seconds tool_list_pause{30};

/// Knowledge about a server's tools that calls depend on: their header fields, and whether they only work as tasks.
/// Read from `tools/list` before the first call and again after a change; until then, the old knowledge applies.
class known_tools {
public:
  /// True if calls have to wait because the list is being read for the first time.
  bool holds_calls() const { return is_ == phase::asked && !was_read_; }
  /// Requests the list, unless it is known, in flight, or has failed recently.
  void fetch(time_point now, adapter_requests& ours, stateless_effects& out);
  /// Takes a page; requests the next one, or finishes the list.
  void receive_page(const message& answer, time_point now, adapter_requests& ours, stateless_effects& out);
  /// Learns from any result of `tools/list`, including those for clients.
  void learn(std::string_view result);
  /// Marks the list as changed: the next call reads it again. A reading in progress starts over, once.
  void changed();
  void server_lost() { *this = {}; }

  std::optional<rejection> refuse(const message& tools_call, const request_envelope& envelope) const;
  /// True if the called tool only works as a task (2025-11-25, tools, `execution.taskSupport`).
  bool needs_task(const message& tools_call) const;

private:
  enum class phase { unknown, asked, known };
  struct tools {
    argument_rules arguments = {};
    std::set<std::string, std::less<>> tasks = {};

    bool is_empty() const { return arguments.is_empty() && tasks.empty(); }
    void learn(std::string_view result);
    void learn_tool(std::string_view tool);
  };
  /// Null if there is nothing to remember, as for most servers.
  using kept_tools = std::unique_ptr<tools>;

  static void learn(kept_tools& to, std::string_view result);

  void ask_first(adapter_requests& ours, stateless_effects& out);

  phase is_ = phase::unknown;
  bool was_read_ = false;
  /// Pages read, including those before a restart.
  std::size_t pages_ = 0;
  bool has_changed_ = false;
  bool was_begun_again_ = false;
  time_point next_try_ = time_point::min();
  kept_tools known_;
  /// Tools read so far; replaces `known_` when the list is complete.
  kept_tools reading_;
};

} // namespace troupe::protocol
