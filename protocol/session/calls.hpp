#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

  /// All are of one side.
  static constexpr std::optional<std::uint64_t> asker() { return 0; }
};

/// Requests under way in one direction, each under an id of ours. Our ids count up and are never used again, so an
/// answer that comes late finds nothing.
class calls {
public:
  /// Takes a request under way and gives it an id of ours.
  std::uint64_t add(call one);
  const call* find(std::uint64_t own) const { return all_.find(own); }
  /// Progress was made under a token of ours, see `request_table::progressed`.
  const call* progressed(std::string_view own_token, time_point deadline) {
    return all_.progressed(own_token, deadline);
  }
  /// A request goes with an exchange from now on.
  void go_with(std::uint64_t own, exchange_id exchange);
  /// Our id for a request of the asker; nothing when none of that id is under way.
  std::optional<std::uint64_t> own_id_of(std::string_view asker_id) const { return all_.own_id_of(0, asker_id); }
  /// Ends a request.
  std::optional<call> take(std::uint64_t own);
  /// Ends every request that is late, and gives our ids with them, in the order of those.
  std::vector<std::pair<std::uint64_t, call>> take_late(time_point now);

  /// How many belong to an exchange, whichever it is.
  std::size_t of_exchanges() const { return of_exchanges_; }
  /// Our ids count on from a number.
  void count_from(std::uint64_t last) { all_.count_from(last); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  /// The first deadline; never when there is none.
  time_point deadline() const { return all_.deadline(); }

private:
  request_table<call> all_;
  std::size_t of_exchanges_ = 0;
};

} // namespace troupe::protocol
