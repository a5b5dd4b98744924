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

/// The parts that merged lists of any session of a gateway lack because a server failed to list them.
class failed_lists {
public:
  /// A failure is reported so long after the last one of the same list, whatever the causes: some have the time in
  /// them, and are new each time.
  static constexpr std::chrono::minutes pause{10};

  /// In one session, which may have had it as failed before. Returns whether it is to be reported: once for a cause,
  /// until the server lists these again, and once in a pause.
  bool failed(const member_list& which, std::string_view why, bool has_failed_before, time_point now);
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
    /// The cause that was reported last, if it still stands.
    std::string reported;
    time_point report_from = time_point::min();
    /// Sessions that have it as failed.
    std::size_t sessions = 0;
  };

  /// Of few servers. Kept without sessions, so that a cause is reported once although sessions come and go.
  std::map<member_list, failure> all_;
};

/// Says in one line what failed, why, and what follows; names the server.
std::string failure_text(const member_list& which, std::string_view why, std::string_view server);

/// Names that are remembered as left out, of all servers of a gateway together.
inline constexpr std::size_t most_name_clashes = 1000;

/// The tools and prompts that are left out of merged lists because another server has one of that name, as the sessions
/// of a gateway have found them.
class name_clashes {
public:
  /// Whether this was new. Not when as many are known as are remembered.
  bool add(name_hidden one);
  /// Other servers are configured; names of others are forgotten.
  void keep_only(const std::vector<std::uint64_t>& servers);

  const std::set<name_hidden>& all() const { return all_; }

private:
  std::set<name_hidden> all_;
};

/// Says what is wrong and what helps, in one line; names the servers.
std::string clash_text(const name_hidden& what, std::string_view shown, std::string_view hidden);

} // namespace troupe::protocol
