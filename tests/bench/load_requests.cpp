#include "tests/bench/load_requests.hpp"

#include <algorithm>

namespace troupe::bench {

namespace {

constexpr std::uint64_t first_id = 1'000'000'000;
constexpr std::string_view placeholder = "##########";
constexpr std::string_view id_label = R"("id":)";
constexpr std::string_view text_label = R"("text":"call )";
constexpr std::string_view params_label = R"("params":{)";
constexpr std::string_view stateless_meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}})";

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

/// The head of a POST up to its length.
std::string post_head(const target& to, std::string_view session) {
  return head("POST", to, session) +
         "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
}

/// 2026-07-28, transports, "Request Headers"
std::string stateless_head(const target& to, const call_shape& shape) {
  auto result = post_head(to, {});
  result.append("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: ").append(shape.tool);
  if (!shape.affinity.empty())
    result.append("\r\nTroupe-Affinity: ").append(shape.affinity);
  return result.append("\r\n");
}

std::string with_body(std::string head, std::string_view body) {
  return head.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

std::string meta_of(const call_shape& shape) {
  const auto token = R"("progressToken":)" + std::string(placeholder);
  if (shape.stateless)
    return std::string(stateless_meta) + (shape.progress ? "," + token : "") + "},";
  return shape.progress ? R"("_meta":{)" + token + "}," : "";
}

std::string call_body(const call_shape& shape) {
  std::string id(placeholder);
  std::string meta = meta_of(shape);
  std::string size = shape.size == 0 ? "" : R"(,"size":)" + std::to_string(shape.size);
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{)" + meta + R"("name":")" + shape.tool +
         R"(","arguments":{"message":"call )" + id + std::string(shape.send, 'x') + '"' + size + "}}}";
}

} // namespace

std::string post(const target& to, std::string_view session, std::string_view body) {
  return with_body(post_head(to, session), body);
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
    : head_(shape.stateless ? stateless_head(to, shape) : post_head(to, session)),
      bytes_(with_body(head_, call_body(shape))), expected_id_(std::string(id_label) + std::string(placeholder)),
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

std::string call_request::retry(std::string_view members) {
  auto body = bytes_.substr(bytes_.find("\r\n\r\n") + 4);
  const auto id = std::to_string(next_id());
  body.replace(body.find(id_label) + id_label.size(), id.size(), id);
  body.insert(body.find(params_label) + params_label.size(), std::string(members) + ",");
  expected_id_ = std::string(id_label) + id;
  return with_body(head_, body);
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
