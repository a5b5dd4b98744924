#include "protocol/delivery/keep_alive.hpp"

#include "protocol/text/sse.hpp"

namespace troupe::protocol {

std::optional<std::string> keep_alive::tick(time_point now) {
  if (now < deadline())
    return std::nullopt;
  spoke_ = now;
  return comment("keepalive");
}

} // namespace troupe::protocol
