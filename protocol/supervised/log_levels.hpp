#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/severity.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace troupe::protocol {

/// The log levels that the users of one server have set. The server gets the most verbose of them; messages below a
/// user's own level are not passed to that user.
class log_levels {
public:
  void set(user_id user, severity level);
  /// The user left, or its level was not accepted.
  void forget(user_id user);
  /// The level that the server has to be told, when it is another than the one that it was told last.
  std::optional<severity> news();
  /// The server was started again and has no level yet.
  void untold() { told_.reset(); }
  /// Whether a log message of this level is for this user. Servers send all that they like to those who set no level;
  /// when somebody else has, that is `info`.
  bool passes(user_id user, severity level) const;

private:
  std::unordered_map<user_id, severity> levels_;
  /// How many have set each.
  std::array<std::uint32_t, 8> counts_{};
  std::optional<severity> told_;
};

} // namespace troupe::protocol
