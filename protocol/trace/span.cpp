#include "protocol/trace/span.hpp"

#include "protocol/rejection.hpp"

#include <algorithm>

namespace troupe::protocol {

sampler::sampler(double share, bool follows)
    : bound_{static_cast<std::uint64_t>(std::clamp(share, 0.0, 1.0) * 0x1p63)}, follows_{follows} {}

void span::end(call_outcome how, std::chrono::nanoseconds duration) {
  took = duration;
  error = how.label();
  add("error.type", error);
  if (how.is == call_outcome::kind::error)
    add("rpc.response.status_code", std::to_string(how.code));
  else if (how.is == call_outcome::kind::lost && is == kind::server)
    add("rpc.response.status_code", std::to_string(error_code::internal_error)); // as sent to its client
}

} // namespace troupe::protocol
