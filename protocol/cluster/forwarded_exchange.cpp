#include "protocol/cluster/forwarded_exchange.hpp"

#include "protocol/text/sse.hpp"
#include "protocol/text/words.hpp"

#include <array>

namespace troupe::protocol {

unanswered_requests::unanswered_requests(const post_body& body) : batch_{body.batch} {
  for (auto& one : body.messages)
    if (is_request(one))
      requests_.push_back(one.id);
}

/// JSON keys may contain escapes: `\u006` and `\u007` begin those of the letters in `result` and `error`.
bool unanswered_requests::may_answer(std::string_view events) {
  constexpr std::array<std::string_view, 4> signs{R"("result")", R"("error")", "\\u006", "\\u007"};
  return std::any_of(signs.begin(), signs.end(), [&](auto sign) { return events.find(sign) != events.npos; });
}

void unanswered_requests::note_events(std::string_view events) {
  if (requests_.empty() || !may_answer(events))
    return;
  for (auto& one : sse_decoder{events.size()}.feed(events)) {
    auto read = read_body(std::move(one.data));
    if (auto body = std::get_if<post_body>(&read))
      for (auto& message : body->messages)
        if (message.kind == message_kind::response)
          std::erase(requests_, message.id);
  }
}

std::vector<std::string> unanswered_requests::last_messages(std::string_view why) const {
  std::vector<std::string> result;
  for (auto& id : requests_)
    result.push_back(error_text(id, error_code::internal_error, why));
  return result;
}

std::optional<std::string> unanswered_requests::json(std::string_view why) const {
  auto errors = last_messages(why);
  if (errors.empty())
    return std::nullopt;
  if (!batch_)
    return std::move(errors.front());
  return "[" + joined(errors, ",") + "]";
}

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
