#pragma once

#include "protocol/log.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace troupe::protocol {

/// Which failures of a store are worth a line in the log: that something was not kept, once until something is; and
/// that a session has another owner, once for each session.
class store_complaints {
public:
  /// Sessions that are remembered; beyond that all are forgotten.
  static constexpr std::size_t most_foreign = 1000;

  std::optional<log_note> not_kept(const std::string& why);
  void kept() { is_troubled_ = false; }
  std::optional<log_note> foreign(const std::string& session);
  /// The session is over, or this node's again.
  void forget(const std::string& session) { foreign_.erase(session); }

private:
  bool is_troubled_ = false;
  std::set<std::string> foreign_;
};

} // namespace troupe::protocol
