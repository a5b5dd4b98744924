#include "protocol/modern_server/legacy_conversion.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"

#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

constexpr std::string_view cursor_mark = "troupe-cursor:";

/// Returns edits that replace each text member of that name by the result of `change`, if it has one.
template <class Change>
std::vector<edit> edits_of(std::string_view text, std::string_view object, std::string_view name, Change change) {
  std::vector<edit> result;
  for (object_reader members{object}; members.next();) {
    auto before = members.key() == name ? string_value(members.value()) : std::nullopt;
    std::optional<std::string> after = before ? change(*before) : std::nullopt;
    if (after)
      result.push_back(replacing(text, members.value(), quoted(*after)));
  }
  return result;
}

std::optional<std::string> marked(const std::string& cursor) {
  auto needs_mark = cursor.empty() || cursor.starts_with(cursor_mark);
  return needs_mark ? std::optional{std::string{cursor_mark} + cursor} : std::nullopt;
}

std::optional<std::string> unmarked(const std::string& cursor) {
  return cursor.starts_with(cursor_mark) ? std::optional{cursor.substr(cursor_mark.size())} : std::nullopt;
}

/// Limits in bytes for remembered tool names: all together, and a single one. For tools that exceed them, the type of
/// each result decides whether it is wrapped.
constexpr std::size_t most_name_bytes = 64 * 1024;
constexpr std::size_t longest_tool_name = 8 * 1024;

/// Limits for rewriting a schema: each level is read once for every level above it.
constexpr std::size_t most_schema_bytes = 256 * 1024;
constexpr std::size_t most_levels = 32;

bool is_object_schema(std::string_view schema) { return string_member(schema, {"type"}) == "object"; }

/// Adjusts the references in a schema, `all`, to its new place.
struct ref_pointer {
  /// False if there are more levels.
  bool point(std::string_view value, std::size_t levels) {
    auto is_object = value.starts_with('{');
    if (!is_object && !value.starts_with('['))
      return true;
    if (levels == 0)
      return false;
    if (is_object)
      return point_members(value, levels - 1);
    for (array_reader elements{value}; elements.next();)
      if (!point(elements.value(), levels - 1))
        return false;
    return true;
  }
  /// Adjusts each `$ref` that is only a fragment: it points into the schema itself, which moves.
  bool point_members(std::string_view object, std::size_t levels) {
    for (object_reader members{object}; members.next();) {
      auto target = members.key() == "$ref" ? string_value(members.value()) : std::nullopt;
      if (target && target->starts_with('#'))
        edits.push_back(replacing(all, members.value(), quoted("#/properties/result" + target->substr(1))));
      else if (!point(members.value(), levels))
        return false;
    }
    return true;
  }

  std::string_view all;
  std::vector<edit> edits = {};
};

std::optional<std::string> wrapped_schema(std::string_view schema) {
  ref_pointer refs{schema};
  if (schema.size() > most_schema_bytes || !refs.point(schema, most_levels))
    return std::nullopt;
  return R"({"type":"object","properties":{"result":)" + spliced(schema, std::move(refs.edits)) +
         R"(},"required":["result"]})";
}

bool has_content(std::string_view result) {
  auto content = find_member(result, {"content"});
  return content && content->starts_with('[') && array_reader{*content}.next();
}

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

std::string with_session_cursor(std::string_view result) {
  return spliced(result, edits_of(result, result, "nextCursor", marked));
}

message with_server_cursor(message from) {
  if (!list_asked_by(from.method))
    return from;
  auto params = find_member(from.text, {"params"}).value_or("");
  auto edits = edits_of(from.text, params, "cursor", unmarked);
  return edits.empty() ? from : spliced(std::move(from), std::move(edits));
}

std::string output_schemas::session_list(std::string_view result) {
  auto tools = find_member(result, {"tools"});
  std::vector<edit> edits;
  auto may_differ = !wrapped_.empty() || (tools && tools->find("outputSchema") != tools->npos);
  if (tools && tools->starts_with('[') && may_differ)
    for (array_reader each{*tools}; each.next();)
      if (auto changed = each.value().starts_with('{') ? session_tool(each.value()) : std::nullopt)
        edits.push_back(replacing(result, each.value(), std::move(*changed)));
  return spliced(result, std::move(edits));
}

/// Returns the tool for a session-era client; empty if it is unchanged.
std::optional<std::string> output_schemas::session_tool(std::string_view tool) {
  auto schema = find_member(tool, {"outputSchema"});
  auto name = string_member(tool, {"name"});
  auto wrapped = schema && !is_object_schema(*schema) ? wrapped_schema(*schema) : std::nullopt;
  if (wrapped) {
    remember(std::move(name));
    return spliced(tool, {replacing(tool, *schema, std::move(*wrapped))});
  }
  forget(name);
  return schema && !is_object_schema(*schema) ? std::optional{without_member(tool, "outputSchema")} : std::nullopt;
}

void output_schemas::remember(std::string name) {
  auto bytes = name.size();
  if (bytes <= longest_tool_name && bytes <= most_name_bytes - name_bytes_ && wrapped_.insert(std::move(name)).second)
    name_bytes_ += bytes;
}

void output_schemas::forget(const std::string& name) {
  if (wrapped_.erase(name) != 0)
    name_bytes_ -= name.size();
}

std::string output_schemas::session_result(std::string_view result, const std::string& tool) const {
  auto value = find_member(result, {"structuredContent"});
  if (!value || (value->starts_with('{') && !wrapped_.contains(tool)))
    return std::string{result};
  auto wrapped = spliced(result, {replacing(result, *value, R"({"result":)" + std::string{*value} + "}")});
  if (has_content(result))
    return wrapped;
  return with_member(wrapped, "content", R"([{"type":"text","text":)" + quoted(*value) + "}]");
}

message response_with(std::string_view id, std::string_view member, std::string_view value) {
  message result{.kind = message_kind::response, .text = R"({"jsonrpc":"2.0","id":)"};
  result.id = id;
  result.id_at = {result.text.size(), id.size()};
  result.text.append(id).append(",\"").append(member).append("\":").append(value).append("}");
  result.outcome = member == "error" ? outcome_of_error(value) : outcome_of_result(value);
  return result;
}

message error_response(std::string_view id, int code, std::string_view text) {
  return gateway_message(error_text(id, code, text));
}

message failed_request(const message& request, std::string_view why) {
  if (!request.is_method("tools/call"))
    return error_response(request.id, error_code::internal_error, why);
  return response_with(request.id, "result",
                       R"({"content":[{"type":"text","text":)" + quoted(why) + R"(}],"isError":true})");
}

std::string without_modern_members(std::string_view object, bool keeps_hints) {
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
  auto kept = params && params->starts_with('{') ? without_modern_members(*params) : "{}";
  return gateway_message(R"({"jsonrpc":"2.0","method":)" + quoted(from.method) +
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
