#pragma once

#include "protocol/ids.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace troupe::protocol {

/// Severity of a server's log message (2025-11-25, logging, "Log Levels"; levels of RFC 5424).
enum class severity { debug, info, notice, warning, error, critical, alert, emergency };

std::optional<severity> read_severity(std::string_view name);
std::string_view name_of(severity level);

/// Log levels set by the users of one server. The server gets the most verbose level; a user does not receive messages
/// below its own.
class log_levels {
public:
  void set(user_id user, severity level);
  /// Removes the level of a user that left, or whose level the server refused.
  void forget(user_id user);
  /// Returns the level to send to the server when it differs from the level sent last.
  std::optional<severity> level_change();
  /// The server restarted and has no level yet.
  void untold() { told_.reset(); }
  /// Whether a user receives log messages of this level. Without any level set, users receive all messages. A user
  /// without a level gets `info` and above once another user has set one.
  bool passes(user_id user, severity level) const;

private:
  std::unordered_map<user_id, severity> levels_;
  /// Number of users at each level.
  std::array<std::uint32_t, 8> counts_{};
  std::optional<severity> told_;
};

} // namespace troupe::protocol
