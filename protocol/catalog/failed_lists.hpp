#pragma once

#include "protocol/catalog/catalog_effects.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// The parts that merged lists of any session of a gateway lack because a server failed to list them.
class failed_lists {
public:
  /// In one session, which may have had it as failed before for another cause. Returns whether the cause is new since
  /// the server last listed these.
  bool failed(const member_list& which, std::string_view why, bool has_failed_before);
  /// In one session that had it as failed. Others have to find out for themselves.
  void recovered(const member_list& which);
  /// A session that had it as failed has ended.
  void session_ended(const member_list& which);
  /// Other servers are configured; failures of others are forgotten.
  void keep_only(const std::vector<std::uint64_t>& servers);

  /// What sessions have as failed, with the last cause.
  std::vector<std::pair<member_list, std::string>> all() const;

private:
  struct failure {
    std::string why;
    /// Sessions that have it as failed.
    std::size_t sessions = 0;
  };

  /// Of few servers. Kept without sessions, so that a cause is reported once although sessions come and go.
  std::map<member_list, failure> all_;
};

/// Says in one line what failed, why, and what follows; names the server.
std::string failure_text(const member_list& which, std::string_view why, std::string_view server);

} // namespace troupe::protocol
