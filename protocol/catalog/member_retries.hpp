#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace troupe::protocol {

/// When servers are initialised again that were lost before they had answered `initialize`: the client was told that
/// they may have everything, and nobody else would find out that they can be started now. Pauses double from one loss
/// to the next, from a second to a minute.
class member_retries {
public:
  void lost(std::uint64_t server, time_point now);
  /// The server is ready, or was removed.
  void forget(std::uint64_t server);
  /// The servers to be tried now; each is until it is lost again.
  std::vector<std::uint64_t> take_due(time_point now);

  /// Never when there is none.
  time_point deadline() const;

private:
  struct retry {
    std::uint64_t server = 0;
    std::chrono::seconds pause{0};
    time_point at = time_point::max();
  };

  /// Of few servers.
  std::vector<retry> all_;
};

} // namespace troupe::protocol
