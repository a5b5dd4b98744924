#include "protocol/admin/followed_message.hpp"

#include "protocol/text/one_line.hpp"
#include "protocol/text/sse.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

/// Longest method and name that are shown, in bytes.
constexpr std::size_t longest_shown = 200;

std::string_view word_of(message_kind kind) {
  switch (kind) {
  case message_kind::request:
    return "request";
  case message_kind::response:
    return "response";
  default:
    return "notification";
  }
}

void add_text(std::string& to, std::string_view member, std::string_view text) {
  if (!text.empty())
    to.append(",\"").append(member).append("\":").append(quoted(one_line(text, longest_shown)));
}

} // namespace

std::string followed_event(const followed_message& one, bool with_content) {
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(one.at.time_since_epoch());
  std::string data = "{\"at_ms\":" + std::to_string(at.count());
  add_text(data, "from", one.from);
  add_text(data, "kind", word_of(one.what.kind));
  add_text(data, "id", one.id);
  add_text(data, "method", one.what.method);
  add_text(data, "name", one.name);
  if (one.what.kind == message_kind::response)
    add_text(data, "error", one.what.outcome.text());
  data.append(",\"bytes\":").append(std::to_string(one.what.text.size()));
  if (with_content)
    data.append(",\"message\":").append(one.what.text);
  data += '}';
  return encode({.type = "message", .data = std::move(data)});
}

std::string end_of_following() { return encode({.type = "end", .data = "{}"}); }

} // namespace troupe::protocol
