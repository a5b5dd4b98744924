#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Addresses of members that a node keeps for its next start: decides what to keep, and when. A member that left in
/// order is forgotten; a lost one may return. Facts in, addresses out.
class remembered_members {
public:
  /// Shortest time between two writes.
  static constexpr std::chrono::seconds pause{1};
  /// Limit of addresses.
  static constexpr std::size_t most = 2048;

  /// `kept`: the addresses that are kept already; none on the first start.
  explicit remembered_members(const std::optional<std::vector<std::string>>& kept);

  // -- facts
  void joined(const std::string& address);
  void left(const std::string& address) { all_.erase(address); }
  /// Forgets all addresses but those that pass the test.
  void retain(const std::function<bool(const std::string& address)>& test);

  // -- decisions
  /// Addresses to keep from now on; empty if those are kept already, or if the last ones are too recent.
  std::optional<std::vector<std::string>> next(time_point now);
  /// Time when `next` has a result.
  time_point deadline() const;

private:
  bool is_kept() const { return kept_ == all_; }

  std::set<std::string> all_;
  std::optional<std::set<std::string>> kept_;
  time_point not_before_ = time_point::min();
};

// Text of a file with the addresses of members. Its first line names the node.

/// Longest text that is read.
inline constexpr std::size_t longest_members_text = 1024 * 1024;

std::string members_text(const std::string& node, const std::vector<std::string>& addresses);
/// Returns the addresses, or the number of the first wrong line. The file of another node is wrong from line 1.
std::variant<std::vector<std::string>, std::size_t> read_members(std::string_view text, const std::string& node);

} // namespace troupe::protocol
