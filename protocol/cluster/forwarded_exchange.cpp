#include "protocol/cluster/forwarded_exchange.hpp"

#include "protocol/text/sse.hpp"

#include <utility>

namespace troupe::protocol {

rejection unheld_request(const std::string& session, const post_body& body) {
  if (!session.empty())
    return owner_unknown();
  return gateway_stops(body.messages.empty() ? std::string{} : body.messages.front().id);
}

std::size_t forwarded_exchange::passed_on(std::string_view events) {
  awaited_.note_events(events);
  return unreported_.passed_on(events.size());
}

end_of_stream forwarded_exchange::last_events(std::string_view why) const {
  end_of_stream result;
  for (auto& last : awaited_.last_messages(why))
    result.events.push_back(encode({.data = std::move(last)}));
  return result;
}

failed_answer forwarded_exchange::fail(std::string_view why, rejection otherwise) const {
  if (streams_)
    return last_events(why);
  if (listens_ && is_stateless_)
    return unavailable("the node of this subscription was lost", request());
  if (auto answer = awaited_.json(why))
    return std::move(*answer);
  return otherwise;
}

failed_answer forwarded_exchange::end() const {
  constexpr std::string_view why = "the session or subscription of the request has ended";
  if (streams_)
    return last_events(why);
  if (session_.empty() || is_stateless_)
    return unavailable(std::string{why}, request());
  return session_not_found();
}

} // namespace troupe::protocol
