#include "net/server/http_head.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <ostream>

#include <boost/beast/http/status.hpp>

namespace troupe::net {

namespace {

/// The `Date` field's value; made once a second.
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

void add_field(std::string& to, std::string_view name, std::string_view value) {
  to.append(name).append(": ").append(value).append("\r\n");
}

bool has_body(int status) { return status != 204; }

} // namespace

std::string head_text(const protocol::http_response& answer, framing body, bool keep_alive) {
  auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(answer.status));
  std::string head;
  head.reserve(256);
  head.append("HTTP/1.1 ").append(std::to_string(answer.status)).append(" ");
  head.append(reason.data(), reason.size()).append("\r\n");
  add_field(head, "Date", date_now());
  for (auto& [name, value] : answer.fields)
    add_field(head, name, value);
  if (body == framing::chunked)
    add_field(head, "Transfer-Encoding", "chunked");
  else if (body == framing::length && has_body(answer.status))
    add_field(head, "Content-Length", std::to_string(answer.body.size()));
  add_field(head, "Connection", keep_alive ? "keep-alive" : "close");
  return head += "\r\n";
}

std::string chunk_text(std::string bytes) {
  std::array<char, 20> size;
  auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  bytes.insert(0, "\r\n").insert(0, size.data(), static_cast<std::size_t>(end - size.data()));
  return bytes += "\r\n";
}

} // namespace troupe::net
