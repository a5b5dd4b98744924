#include "tests/simulation/client_messages.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <utility>
#include <variant>

namespace troupe::tests::simulation {

namespace {

std::string with(std::string_view before, std::string_view text, std::string_view after) {
  return std::string{before}.append(text).append(after);
}

std::string member(std::string_view name, std::string_view characters) {
  return with("\"", name, "\":") + protocol::quoted(characters);
}

} // namespace

std::string request_text(std::string_view id, std::string_view method, std::string_view params) {
  return with(R"({"jsonrpc":"2.0","id":)", id, ",") + member("method", method) + with(R"(,"params":)", params, "}");
}

std::string note_text(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0",)" + member("method", method) + with(R"(,"params":)", params, "}");
}

std::string result_text(std::string_view id, std::string_view value) {
  return with(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)") + with({}, value, "}");
}

std::string initialize_text(std::string_view id, bool has_batches) {
  auto version = has_batches ? "2025-03-26" : "2025-11-25";
  return request_text(id, "initialize",
                      "{" + member("protocolVersion", version) + R"(,"capabilities":{"sampling":{}}})");
}

std::string call_text(std::string_view id, std::string_view token) {
  return request_text(id, "tools/call", R"({"name":"echo",)" + member("token", token) + "}");
}

std::string batch_of(const std::vector<std::string>& texts) { return "[" + protocol::joined(texts, ",") + "]"; }

std::string answer_text(std::string_view id, std::string_view token, std::string_view session) {
  return result_text(id, "{" + member("token", token) + "," + member("session", session) + "}");
}

std::string sample_of(std::string_view token, std::string_view session) {
  return "{" + member("token", token) + "," + member("session", session) + R"(,"content":{}})";
}

std::vector<protocol::message> messages_in(std::string text) {
  std::vector<protocol::message> result;
  protocol::read_each(std::move(text), [&](protocol::message one) { result.push_back(std::move(one)); });
  return result;
}

std::vector<std::string> call_tokens(const std::vector<protocol::message>& all) {
  std::vector<std::string> result;
  for (auto& one : all)
    if (one.is_method("tools/call"))
      result.push_back(protocol::string_param(one, "token"));
  return result;
}

} // namespace troupe::tests::simulation
