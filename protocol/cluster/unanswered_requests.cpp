#include "protocol/cluster/unanswered_requests.hpp"

#include "protocol/text/sse.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

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

} // namespace troupe::protocol
