#pragma once

#include "net/server/refusal_counts.hpp"
#include "protocol/http/http.hpp"

#include <chrono>

namespace troupe::net {

/// What a client is told whose connection is one too many: of all, or of its address.
inline protocol::rejection rejection_of(refusal why) {
  constexpr std::chrono::seconds pause{1};
  return why == refusal::connections
             ? protocol::unavailable("too many connections; try again later", {}, pause)
             : protocol::too_many_requests("this address has limits.perAddress.connections open", pause);
}

} // namespace troupe::net
