#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/first_deadline.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe::protocol {

/// A request that is under way, as the side that asked knows it.
struct call {
  /// The asker's id, a JSON token.
  std::string id;
  /// The asker's progress token; empty when it wants no progress.
  std::string token;
  /// The exchange that brought it, or the stream that carried it.
  exchange_id exchange = 0;
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};
};

/// Requests under way in one direction, each under an id of ours. Our ids count up and are never used again, so an
/// answer that comes late finds nothing.
class calls {
public:
  calls() = default;
  // No copies: the keys of one index are parts of the other.
  calls(calls&&) = default;
  calls& operator=(calls&&) = default;

  /// Takes a request under way and gives it an id of ours.
  std::uint64_t add(call one);
  /// May be changed, but for its id and its exchange, and not to an earlier deadline.
  call* find(std::uint64_t own);
  /// A request goes with an exchange from now on.
  void go_with(std::uint64_t own, exchange_id exchange);
  /// Our id for a request of the asker; nothing when none of that id is under way.
  std::optional<std::uint64_t> own_id_of(std::string_view asker_id) const;
  /// Ends a request.
  std::optional<call> take(std::uint64_t own);
  /// Ends every request that is late, and gives our ids with them.
  std::vector<std::pair<std::uint64_t, call>> take_late(time_point now);

  /// How many belong to an exchange, whichever it is.
  std::size_t of_exchanges() const { return of_exchanges_; }
  /// Our ids count on from a number.
  void count_from(std::uint64_t last) { last_ = last; }
  std::size_t size() const { return by_own_id_.size(); }
  bool empty() const { return by_own_id_.empty(); }
  /// The first deadline, or now and then an earlier time: see `first_deadline`.
  time_point deadline() const;

private:
  static time_point deadline_of(const std::pair<const std::uint64_t, call>& one) { return one.second.deadline; }

  std::uint64_t last_ = 0;
  std::map<std::uint64_t, call> by_own_id_;
  /// By the ids in `by_own_id_`.
  std::unordered_map<std::string_view, std::uint64_t> own_ids_;
  std::size_t of_exchanges_ = 0;
  /// A memory of what was looked for.
  mutable first_deadline first_;
};

} // namespace troupe::protocol
