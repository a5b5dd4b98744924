#include "protocol/modern_server/session_words.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/modern_refusal.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/splice.hpp"

namespace troupe::protocol {

namespace {

// 2026-07-28, "Error Codes".

bool is_hint(std::string_view name) { return name == "ttlMs" || name == "cacheScope"; }

std::string session_meta(std::string_view meta) {
  return without_member(without_member(meta, meta_key::server_info), meta_key::subscription_id);
}

bool is_missing_resource(const message& request, std::string_view error) {
  auto uri = request.is_method("resources/read") ? string_param(request, "uri") : "";
  return !uri.empty() && string_member(error, {"data", "uri"}) == uri;
}

std::string lacks_text(std::string_view error) {
  auto needed = find_member(error, {"data", "requiredCapabilities"});
  return "The MCP server needs what the client is not capable of" + (needed ? ": " + std::string{*needed} : "");
}

} // namespace

message response_with(std::string_view id, std::string_view member, std::string_view value) {
  message result{.kind = message_kind::response, .text = R"({"jsonrpc":"2.0","id":)"};
  result.id = id;
  result.id_at = {result.text.size(), id.size()};
  result.text.append(id).append(",\"").append(member).append("\":").append(value).append("}");
  result.outcome = member == "error" ? outcome_of_error(value) : outcome_of_result(value);
  return result;
}

message error_response(std::string_view id, int code, std::string_view text) {
  return own_message(error_text(id, code, text));
}

message failed_request(const message& request, std::string_view why) {
  if (!request.is_method("tools/call"))
    return error_response(request.id, error_code::internal_error, why);
  return response_with(request.id, "result",
                       R"({"content":[{"type":"text","text":)" + quoted(why) + R"(}],"isError":true})");
}

std::string without_modern_words(std::string_view object, bool keeps_hints) {
  std::string result = "{";
  for (object_reader members{object}; members.next();) {
    auto is_meta = members.key() == "_meta" && members.value().starts_with('{');
    auto meta = is_meta ? session_meta(members.value()) : "";
    if (members.key() == "resultType" || (is_hint(members.key()) && !keeps_hints) || meta == "{}")
      continue;
    result.append(result.size() > 1 ? "," : "").append(quoted(members.key())).append(":");
    result.append(is_meta ? meta : members.value());
  }
  return result += "}";
}

message session_notification(const message& from) {
  auto params = find_member(from.text, {"params"});
  auto kept = params && params->starts_with('{') ? without_modern_words(*params) : "{}";
  return own_message(R"({"jsonrpc":"2.0","method":)" + quoted(from.method) +
                     (kept == "{}" ? "" : R"(,"params":)" + kept) + "}");
}

bool has_modern_meta(const message& notification) {
  auto meta = find_member(notification.text, {"params", "_meta"});
  return meta && meta->starts_with('{') &&
         (find_member(*meta, {meta_key::server_info}) || find_member(*meta, {meta_key::subscription_id}));
}

bool is_lack(std::string_view error) { return code_of_error(error) == error_code::missing_capability; }

message session_error(const message& request, std::string_view error, const client_profile& can) {
  auto code = find_member(error, {"code"}).value_or("");
  if (code_of_error(error) == error_code::invalid_params && is_missing_resource(request, error)) {
    auto number = std::to_string(error_code::resource_not_found);
    return response_with(request.id, "error", spliced(error, {replacing(error, code, number)}));
  }
  if (auto why = wrong_refusal(error, can))
    return error_response(request.id, error_code::internal_error, *why);
  if (is_lack(error))
    return failed_request(request, lacks_text(error));
  return response_with(request.id, "error", error);
}

} // namespace troupe::protocol
