#include "protocol/delivery/stream.hpp"

#include "protocol/text/sse.hpp"

namespace troupe::protocol {

std::optional<std::string> stream::tick(time_point now) {
  if (now < deadline())
    return std::nullopt;
  spoke_ = now;
  return comment("keepalive");
}

} // namespace troupe::protocol
