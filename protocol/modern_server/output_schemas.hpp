#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What tools give as structured content, for clients of the session era. In 2026-07-28 it may be any JSON value; until
/// 2025-11-25 it is an object (2025-11-25, tools, "Output Schema"). Any other is put into an object, as its member
/// `result`, and so is the schema that describes it. As the official SDKs do it.
class output_schemas {
public:
  /// The result of `tools/list` with schemas of objects only. Remembers for which tools that made a difference, until a
  /// list says otherwise. A schema that is too large or too deep to be rewritten is left out.
  std::string session_list(std::string_view result);
  /// The result of a call of that tool. Without any content the value is also there as text, which older clients read.
  std::string session_result(std::string_view result, const std::string& tool) const;

private:
  std::optional<std::string> session_tool(std::string_view tool);
  void remember(std::string name);
  void forget(const std::string& name);

  std::set<std::string> wrapped_;
  std::size_t name_bytes_ = 0;
};

} // namespace troupe::protocol
