#pragma once

#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/rejection.hpp"
#include "protocol/stateless/argument_rules.hpp"
#include "protocol/stateless/face_requests.hpp"
#include "protocol/stateless/stateless_effects.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Most pages of `tools/list` that the gateway reads to know a server's tools.
inline constexpr std::size_t most_tool_pages = 50;
/// Most tools of a server that are known to work as tasks only.
inline constexpr std::size_t most_task_tools = 1000;

/// What calls of a server's tools depend on: their header fields, and whether they only work as tasks. Read from
/// `tools/list` before the first call, and again after the list has changed.
class known_tools {
public:
  /// Whether the list was read since it changed, or could not be read.
  bool are_known() const { return is_ == phase::known; }
  /// Asks the server for the list, unless that is under way.
  void fetch(face_requests& ours, stateless_effects& out);
  /// The answer with a page: asks for the next, or all is known.
  void take_page(const message& answer, face_requests& ours, stateless_effects& out);
  /// Takes what a result of `tools/list` says, whoever asked for it.
  void learn(std::string_view result);
  /// The list has changed: it is read again before the next call, or from its beginning when it is being read.
  void changed();
  void server_lost();

  std::optional<rejection> refuse(const message& tools_call, const request_envelope& envelope) const;
  /// Whether the tool that is called only works as a task (2025-11-25, tools, `execution.taskSupport`).
  bool needs_task(const message& tools_call) const;

private:
  enum class phase { unknown, asked, known };

  void ask_first(face_requests& ours, stateless_effects& out);
  void learn_tool(std::string_view tool);
  void forget();

  phase is_ = phase::unknown;
  /// Read since the first call waits, also when the list was begun again.
  std::size_t pages_ = 0;
  /// Since it is being read.
  bool has_changed_ = false;
  argument_rules arguments_;
  std::set<std::string, std::less<>> task_tools_;
};

} // namespace troupe::protocol
