#include "protocol/trace/span.hpp"

#include "protocol/rejection.hpp"

namespace troupe::protocol {

void span::end(call_outcome how, std::chrono::nanoseconds duration) {
  took = duration;
  error = how.label();
  add("error.type", error);
  if (how.is == call_outcome::kind::error)
    add("rpc.response.status_code", std::to_string(how.code));
  else if (how.is == call_outcome::kind::lost && is == kind::server)
    add("rpc.response.status_code", std::to_string(error_code::internal_error)); // which its client was told
}

} // namespace troupe::protocol
