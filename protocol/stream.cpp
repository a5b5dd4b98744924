#include "protocol/stream.hpp"

#include "protocol/sse.hpp"

namespace troupe::protocol {

std::string stream::published(std::string text, time_point now) {
  spoke_ = now;
  return encode({.id = std::nullopt, .type = "message", .data = std::move(text), .retry = std::nullopt});
}

std::optional<std::string> stream::tick(time_point now) {
  if (now < deadline())
    return std::nullopt;
  spoke_ = now;
  return comment("keepalive");
}

} // namespace troupe::protocol
