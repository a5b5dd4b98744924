#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Parts missing from the merged lists of a gateway's sessions because a server failed to list them.
class failed_lists {
public:
  /// Minimum time between reports for the same list, whatever the causes: some contain the time, and are new each time.
  static constexpr std::chrono::minutes pause{10};

  /// Adds a failure in one session, which may already have it. Returns true if it is to be reported: once for a server
  /// and a cause until the server recovers, and once in a pause.
  bool failed(const missing_part& which, std::string_view why, bool has_failed_before, time_point now);
  /// Removes a failure from one session. Other sessions detect the recovery themselves.
  void recovered(const missing_part& which);
  /// Removes an ended session that had the failure.
  void session_ended(const missing_part& which);
  /// Forgets failures of servers that are no longer configured.
  void keep_only(const std::vector<std::uint64_t>& servers);

  /// Returns the failures that sessions have, with their last causes.
  std::vector<std::pair<missing_part, std::string>> all() const;

private:
  struct failure {
    std::string why;
    /// Cause that was reported last, if it still applies.
    std::string reported;
    time_point report_from = time_point::min();
    /// Number of sessions with this failure.
    std::size_t sessions = 0;
  };

  /// Failures of a few servers. Entries outlive sessions, so that a cause is reported once.
  std::map<missing_part, failure> all_;
};

/// Returns a line with the failure, its cause and its consequence; names the server.
std::string failure_text(const missing_part& which, std::string_view why, std::string_view server);

/// Most name clashes remembered, for all servers of a gateway together.
inline constexpr std::size_t most_name_clashes = 1000;

/// Tools and prompts left out of merged lists because another server has the same name, as found by the sessions of a
/// gateway.
class name_clashes {
public:
  /// Adds a clash; false if it is known, or the table is full.
  bool add(name_hidden one);
  /// Forgets clashes of servers that are no longer configured.
  void keep_only(const std::vector<std::uint64_t>& servers);

  const std::set<name_hidden>& all() const { return all_; }

private:
  std::set<name_hidden> all_;
};

/// Returns a line with the problem and its remedy; names the servers.
std::string clash_text(const name_hidden& what, std::string_view shown, std::string_view hidden);

} // namespace troupe::protocol
