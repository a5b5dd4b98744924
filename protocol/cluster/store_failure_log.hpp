#pragma once

#include "protocol/log.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace troupe::protocol {

/// Log filter for failures of the store. A failed write is logged once until one succeeds; a session with another owner
/// is logged once for each session.
class store_failure_log {
public:
  /// Limit of remembered sessions; above it all are forgotten.
  static constexpr std::size_t most_foreign = 1000;

  std::optional<log_note> not_kept(const std::string& why);
  void kept() { is_troubled_ = false; }
  std::optional<log_note> foreign(const std::string& session);
  /// The session is over, or is this node's again.
  void forget(const std::string& session) { foreign_.erase(session); }

private:
  bool is_troubled_ = false;
  std::set<std::string> foreign_;
};

} // namespace troupe::protocol
