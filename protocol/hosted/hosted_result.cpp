#include "protocol/hosted/hosted_result.hpp"

#include "protocol/message/era.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace troupe::protocol {

namespace json = boost::json;

namespace {

constexpr std::size_t most_completions = 100;

std::string version_for(const message& initialize) {
  auto asked = string_param(initialize, "protocolVersion");
  return is_session_version(asked) ? asked : std::string{newest_session_version};
}

json::object capabilities_of(const hosted_offer& offer) {
  json::object changes{{"listChanged", true}};
  json::object result{{"logging", json::object{}},
                      {"tools", changes},
                      {"prompts", changes},
                      {"resources", {{"subscribe", true}, {"listChanged", true}}}};
  if (offer.completes)
    result["completions"] = json::object{};
  return result;
}

json::object contents_of(json::object block, std::string_view uri, std::string_view mime_type) {
  if (auto* embedded = block.if_contains("resource"); embedded && embedded->is_object())
    return embedded->get_object();
  if (auto* data = block.if_contains("data")) {
    auto blob = std::move(*data);
    block.erase("data");
    block["blob"] = std::move(blob);
  }
  block.erase("type");
  block["uri"] = uri;
  if (!mime_type.empty() && !block.contains("mimeType"))
    block["mimeType"] = mime_type;
  return block;
}

} // namespace

message checked_answer(std::string_view id, std::string text) {
  auto read = read_message(std::move(text));
  if (auto* valid = std::get_if<message>(&read))
    return std::move(*valid);
  return gateway_message(error_text(id, error_code::internal_error, "The answer is no valid JSON"));
}

message result_message(std::string_view id, const json::object& result) {
  return checked_answer(id, R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":)" + json::serialize(result) +
                                "}");
}

message error_message(std::string_view id, int code, std::string_view text) {
  return checked_answer(id, error_text(id, code, text));
}

json::object initialize_result(const message& initialize, const hosted_offer& offer) {
  json::object result{{"protocolVersion", version_for(initialize)},
                      {"capabilities", capabilities_of(offer)},
                      {"serverInfo", offer.info}};
  if (!offer.instructions.empty())
    result["instructions"] = offer.instructions;
  return result;
}

json::object tool_result(json::array content, bool is_error) {
  json::object result{{"content", std::move(content)}};
  if (is_error)
    result["isError"] = true;
  return result;
}

json::object prompt_result(const std::string& description, json::array content) {
  json::array messages;
  for (auto& one : content) {
    auto& block = one.as_object();
    json::object said{{"role", "user"}};
    if (auto* role = block.if_contains("role"))
      said["role"] = *role;
    block.erase("role");
    said["content"] = std::move(block);
    messages.push_back(std::move(said));
  }
  json::object result{{"messages", std::move(messages)}};
  if (!description.empty())
    result["description"] = description;
  return result;
}

json::object resource_result(std::string_view uri, std::string_view mime_type, const json::array& content) {
  json::array contents;
  for (auto& block : content)
    contents.push_back(contents_of(block.as_object(), uri, mime_type));
  return {{"contents", std::move(contents)}};
}

json::object completion_result(const std::vector<std::string>& values) {
  json::array shown;
  for (std::size_t i = 0; i < std::min(values.size(), most_completions); ++i)
    shown.emplace_back(values[i]);
  auto more = shown.size() < values.size();
  return {{"completion", {{"values", std::move(shown)}, {"total", values.size()}, {"hasMore", more}}}};
}

} // namespace troupe::protocol
