#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Filter of a server's tools by globs of their names. Users see and may call the tools that match a glob of `allow`
/// (all when `allow` is empty) and no glob of `deny`.
class tool_filter {
public:
  tool_filter() = default;
  tool_filter(std::vector<std::string> allow, std::vector<std::string> deny)
      : allow_{std::move(allow)}, deny_{std::move(deny)} {}

  /// Whether the filter allows the name, and also its part before a null character, where some servers stop reading.
  bool allows(std::string_view name) const;
  /// Returns an error when the request calls a filtered tool, or has a method that could be read as a call.
  std::optional<rejection> refuse(const message& request) const;
  /// Whether a `tools/call` names an allowed tool.
  bool allows_call(const message& call) const;
  /// Removes filtered tools from the answer to `tools/list`; the rest stays verbatim.
  message filtered(message list) const;

private:
  bool off() const { return allow_.empty() && deny_.empty(); }
  bool allows_exact(std::string_view name) const;
  bool allows_names_in(std::string_view object) const;

  std::vector<std::string> allow_;
  std::vector<std::string> deny_;
};

} // namespace troupe::protocol
