#include "tests/bench/load_requests.hpp"

#include <algorithm>

namespace troupe::bench {

namespace {

constexpr std::uint64_t first_id = 1'000'000'000;
constexpr std::string_view placeholder = "##########";
constexpr std::string_view id_label = R"("id":)";
constexpr std::string_view text_label = R"("text":"call )";

std::string head(std::string_view method, const target& to, std::string_view session) {
  std::string result;
  result.append(method).append(" ").append(to.path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  if (!to.bearer.empty())
    result.append("Authorization: Bearer ").append(to.bearer).append("\r\n");
  if (session.empty())
    return result;
  result.append("Mcp-Session-Id: ").append(session).append("\r\nMCP-Protocol-Version: 2025-06-18\r\n");
  return result;
}

std::string call_body(const call_shape& shape) {
  std::string id(placeholder);
  std::string meta = shape.progress ? R"("_meta":{"progressToken":)" + id + "}," : "";
  std::string size = shape.size == 0 ? "" : R"(,"size":)" + std::to_string(shape.size);
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{)" + meta + R"("name":")" + shape.tool +
         R"(","arguments":{"message":"call )" + id + std::string(shape.send, 'x') + '"' + size + "}}}";
}

} // namespace

std::string post(const target& to, std::string_view session, std::string_view body) {
  auto result = head("POST", to, session);
  result.append("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ");
  return result.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

std::string get(const target& to, std::string_view session) {
  return head("GET", to, session).append("Accept: text/event-stream\r\n\r\n");
}

std::string remove(const target& to, std::string_view session) { return head("DELETE", to, session).append("\r\n"); }

std::string initialize_body(std::string_view version) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(next_id()) +
         R"(,"method":"initialize","params":{"protocolVersion":")" + std::string(version) +
         R"(","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
}

std::uint64_t next_id() {
  static auto last = first_id;
  return ++last;
}

call_request::call_request(const target& to, std::string_view session, const call_shape& shape)
    : bytes_(post(to, session, call_body(shape))), expected_id_(std::string(id_label) + std::string(placeholder)),
      expected_text_(std::string(text_label) + std::string(placeholder)), least_size_(shape.size + shape.send),
      canned_(shape.canned) {
  std::size_t found = bytes_.find(placeholder);
  for (auto& at : id_at_) {
    at = found;
    const auto next = bytes_.find(placeholder, found + placeholder.size());
    found = next == std::string::npos ? found : next;
  }
}

std::string_view call_request::next() {
  write_id(next_id());
  return bytes_;
}

void call_request::write_id(std::uint64_t id) {
  std::array<char, placeholder.size()> digits;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, id /= 10)
    *digit = static_cast<char>('0' + id % 10);
  for (auto at : id_at_)
    std::copy(digits.begin(), digits.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy(digits.begin(), digits.end(), expected_id_.end() - placeholder.size());
  std::copy(digits.begin(), digits.end(), expected_text_.end() - placeholder.size());
}

bool call_request::is_answer(std::string_view body) const {
  return body.size() >= least_size_ && body.find(expected_id_) != std::string_view::npos &&
         (canned_ || body.find(expected_text_) != std::string_view::npos);
}

} // namespace troupe::bench
