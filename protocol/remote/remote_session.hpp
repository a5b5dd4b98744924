#pragma once

#include "protocol/remote/remote_caller.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/text/words.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Session with a server of Streamable HTTP, as the server names it. The id is empty when there is none, and fit for a
/// header field otherwise. The end, once known, is never put off.
class remote_session {
public:
  bool has_id() const { return !id_.empty(); }

  /// Takes the server's session id, which is sent back in header fields (2025-11-25, transports, "Session Management"
  /// 1). False when it is invalid.
  bool take(const http_fields& of_initialize) {
    auto is_it = [](auto& field) { return same_word(field.first, "Mcp-Session-Id"); };
    auto lines = std::count_if(of_initialize.begin(), of_initialize.end(), is_it);
    auto id = field_value(of_initialize, "Mcp-Session-Id");
    if (lines == 1 && is_session_id(id))
      id_ = id;
    return lines == 0 || !id_.empty();
  }

  /// Session and version fields (2025-11-25, transports, "Session Management" 2 and "Protocol Version Header").
  /// `version` is empty until it is negotiated.
  http_fields fields(const std::string& version) const {
    http_fields result;
    if (!id_.empty())
      result.emplace_back("Mcp-Session-Id", id_);
    if (!version.empty())
      result.emplace_back("MCP-Protocol-Version", version);
    return result;
  }

  /// The server has forgotten the session, which ends by this time.
  void ends_by(time_point when) { ends_at_ = std::min(ends_at_, when); }
  bool is_ending() const { return ends_at_ != time_point::max(); }
  time_point end() const { return ends_at_; }

private:
  static bool is_session_id(std::string_view text) {
    constexpr std::size_t longest = 1024;
    auto is_visible = [](char c) { return c > ' ' && c < '\x7f'; };
    return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), is_visible);
  }

  std::string id_;
  /// Time of the session's end once the server has forgotten it; until then the heads of other answers are awaited.
  time_point ends_at_ = time_point::max();
};

} // namespace troupe::protocol
