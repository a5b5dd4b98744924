#include "protocol/trace/span.hpp"

namespace troupe::protocol {

void span::end(call_outcome how, std::chrono::nanoseconds duration) {
  took = duration;
  error = how.label();
  add("error.type", error);
  if (how.is == call_outcome::kind::error)
    add("rpc.response.status_code", std::to_string(how.code));
}

} // namespace troupe::protocol
