#include "protocol/cluster/forwarded_exchange.hpp"

#include "protocol/text/sse.hpp"

#include <utility>

namespace troupe::protocol {

std::size_t forwarded_exchange::passed_on(std::string_view events) {
  awaited_.told(events);
  return untold_.passed_on(events.size());
}

failed_answer forwarded_exchange::fail(std::string_view why, rejection otherwise) const {
  if (streams_) {
    end_of_stream result;
    for (auto& last : awaited_.last_messages(why))
      result.events.push_back(encode({.data = std::move(last)}));
    return result;
  }
  if (auto answer = awaited_.json(why))
    return std::move(*answer);
  return otherwise;
}

} // namespace troupe::protocol
