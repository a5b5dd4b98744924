#pragma once

#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/face_requests.hpp"
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

/// Most pages of `tools/list` that the gateway reads to know a server's tools.
inline constexpr std::size_t most_tool_pages = 50;
/// Most tools of a server that are known to work as tasks only.
inline constexpr std::size_t most_task_tools = 1000;

/// How long after the list could not be read it is not asked for again.
inline constexpr std::chrono::seconds tool_list_pause{30};

/// What calls of a server's tools depend on: their header fields, and whether they only work as tasks. Read from
/// `tools/list` before the first call, and again after the list has changed; until it was read again, what is known
/// counts.
class known_tools {
public:
  /// Whether calls have to wait: the list is being read, and was never before.
  bool hold_calls() const { return is_ == phase::asked && !was_read_; }
  /// Asks the server for the list unless it is known, under way, or failed a short while ago.
  void fetch(time_point now, face_requests& ours, stateless_effects& out);
  /// The answer with a page: asks for the next, or all is known.
  void take_page(const message& answer, time_point now, face_requests& ours, stateless_effects& out);
  /// Takes what a result of `tools/list` says, whoever asked for it.
  void learn(std::string_view result);
  /// The list has changed: it is read again with the next call, and once from its beginning when it is being read.
  void changed();
  void server_lost() { *this = {}; }

  std::optional<rejection> refuse(const message& tools_call, const request_envelope& envelope) const;
  /// Whether the tool that is called only works as a task (2025-11-25, tools, `execution.taskSupport`).
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
  /// Null when nothing is to be known of them, which is how most servers' tools are.
  using kept_tools = std::unique_ptr<tools>;

  static void learn(kept_tools& to, std::string_view result);

  void ask_first(face_requests& ours, stateless_effects& out);

  phase is_ = phase::unknown;
  bool was_read_ = false;
  /// Since it is being read, also when it was begun again.
  std::size_t pages_ = 0;
  bool has_changed_ = false;
  bool was_begun_again_ = false;
  time_point next_try_ = time_point::min();
  kept_tools known_;
  /// What takes the place of `known_` when all is read.
  kept_tools reading_;
};

} // namespace troupe::protocol
