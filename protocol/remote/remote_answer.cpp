#include "protocol/remote/remote_answer.hpp"

#include "protocol/message/splice.hpp"
#include "protocol/text/http_syntax.hpp"
#include "protocol/text/words.hpp"

namespace troupe::protocol {

bool answers(const message& response, const std::string& id) {
  return names_request(response.id, id) || (response.id.empty() && !has_result(response));
}

message under_id(message response, const std::string& id) {
  if (response.id.empty())
    return gateway_message(with_member(response.text, "id", id));
  return relayed(std::move(response), id, {});
}

std::vector<event> remote_answer::feed(std::string_view bytes) {
  if (form_ == form::events)
    return decoder_.feed(bytes);
  if (form_ == form::unread || overflowed_)
    return {};
  overflowed_ = bytes.size() > limit_ - text_.size();
  if (overflowed_)
    text_ = {};
  else
    text_ += bytes;
  return {};
}

/// The id is sent back in a header field, which must not hold long values or control characters.
std::string_view remote_answer::last_event_id() const {
  constexpr std::size_t longest = 1024;
  auto id = decoder_.last_event_id();
  auto is_plain = [](unsigned char c) { return c >= ' ' && c != 0x7f; };
  auto fits = id.size() <= longest && std::all_of(id.begin(), id.end(), is_plain);
  return fits ? id : std::string_view{};
}

remote_answer::form form_of(std::string_view content_type) {
  if (is_json_type(content_type))
    return remote_answer::form::json;
  auto type = without_blanks(content_type.substr(0, content_type.find(';')));
  return same_word(type, "text/event-stream") ? remote_answer::form::events : remote_answer::form::unread;
}

} // namespace troupe::protocol
