#include "net/server/answer_writer.hpp"

#include <boost/beast/http/status.hpp>

#include <array>
#include <charconv>
#include <ctime>

namespace troupe::net {

namespace {

/// Returns the `Date` field's value; made once a second.
const std::string& date_now() {
  thread_local std::time_t made_at = 0;
  thread_local std::string text;
  auto now = std::time(nullptr);
  if (now == made_at)
    return text;
  std::array<char, 40> buffer;
  std::tm parts;
  gmtime_r(&now, &parts);
  text.assign(buffer.data(), std::strftime(buffer.data(), buffer.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts));
  made_at = now;
  return text;
}

/// Adds the status line, up to the code's reason.
void add_status(std::string& to, int status) {
  if (status == 200) {
    to += "HTTP/1.1 200 OK";
    return;
  }
  auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  to.append("HTTP/1.1 ").append(std::to_string(status)).append(" ").append(reason.data(), reason.size());
}

void add_length(std::string& to, std::size_t length) {
  std::array<char, 20> digits;
  auto* end = std::to_chars(digits.data(), digits.data() + digits.size(), length).ptr;
  to.append("\r\nContent-Length: ").append(digits.data(), end);
}

/// Whether an answer may have a body. A length in a 304 would be that of the response that it stands for.
bool has_body(int status) { return status != 204 && status != 304; }

/// Capacity that is enough for the heads of most answers.
constexpr std::size_t usual_head = 256;

/// Room behind the head for the usual first events of a stream, and for all of a short one.
constexpr std::size_t usual_events = 768;

} // namespace

/// Most of the text is constant: the end of a line is written with the text that follows it.
std::string head_text(const protocol::http_response& answer, framing body, bool keep_alive, std::size_t room) {
  std::string head;
  head.reserve(usual_head + room);
  add_status(head, answer.status);
  head.append("\r\nDate: ").append(date_now());
  if (!answer.type.empty())
    head.append("\r\nContent-Type: ").append(answer.type);
  for (auto& [name, value] : answer.fields)
    head.append("\r\n").append(name).append(": ").append(value);
  if (!answer.constant_fields.empty())
    head.append("\r\n").append(answer.constant_fields);
  if (body == framing::chunked)
    head += "\r\nTransfer-Encoding: chunked";
  else if (body == framing::length && has_body(answer.status))
    add_length(head, answer.body.size());
  return head += keep_alive ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n";
}

std::string chunk_text(std::string_view bytes) {
  std::array<char, 20> size;
  auto* end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  std::string chunk;
  chunk.reserve(size.size() + bytes.size() + 4);
  return chunk.append(size.data(), end).append("\r\n").append(bytes).append("\r\n");
}

void answer_writer::respond(protocol::http_response answer, bool has_body) {
  const auto body = has_body ? answer.body.size() : 0;
  queue_.add(head_text(answer, framing::length, keep_alive_, body <= write_queue::longest_joined ? body : 0));
  if (body != 0)
    queue_.add(std::move(answer.body));
}

void answer_writer::begin_events(const protocol::http_response& head) {
  keep_alive_ = keep_alive_ && chunked_;
  queue_.add(head_text(head, chunked_ ? framing::chunked : framing::until_close, keep_alive_, usual_events));
}

void answer_writer::write_events(std::string events) { queue_.add(chunked_ ? chunk_text(events) : std::move(events)); }

bool answer_writer::end_events() {
  if (chunked_)
    queue_.add(last_chunk);
  return chunked_;
}

answer_writer::time_point answer_writer::limit_write(const connection_limits& limits, time_point now) {
  deadline_ = now + write_time_of(limits, queue_.untaken());
  return deadline_;
}

void answer_writer::end_write() {
  deadline_ = time_point::max();
  unsent_.reset();
  queue_.end();
}

} // namespace troupe::net
