#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Which tools of a server its users see and may call, by globs of their names: those that match a glob of `allow` (all
/// when `allow` is empty) and none of `deny`.
class tool_filter {
public:
  tool_filter() = default;
  tool_filter(std::vector<std::string> allow, std::vector<std::string> deny)
      : allow_{std::move(allow)}, deny_{std::move(deny)} {}

  /// The name, and what is left of it for servers that read it up to a null character.
  bool allows(std::string_view name) const;
  /// Why the server is not to get a request: it calls a tool that does not exist, or its method may be taken for that.
  std::optional<rejection> refuse(const message& request) const;
  /// Whether a `tools/call` names a tool that exists.
  bool allows_call(const message& call) const;
  /// The answer to `tools/list` without the tools that do not exist; all else of it stays as it came.
  message filtered(message list) const;

private:
  bool off() const { return allow_.empty() && deny_.empty(); }
  bool lets_through(std::string_view name) const;
  bool allows_names_in(std::string_view object) const;

  std::vector<std::string> allow_;
  std::vector<std::string> deny_;
};

} // namespace troupe::protocol
