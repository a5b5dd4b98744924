#include "protocol/modern_server/output_schemas.hpp"

#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"

#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

/// Of names of tools that are remembered: the bytes of all, and of one. A server with more of such tools has its
/// results wrapped by what they are.
constexpr std::size_t most_name_bytes = 64 * 1024;
constexpr std::size_t longest_tool_name = 8 * 1024;

/// Of a schema that is rewritten: each level of it is read once for every level above it.
constexpr std::size_t most_schema_bytes = 256 * 1024;
constexpr std::size_t most_levels = 32;

bool is_object_schema(std::string_view schema) { return string_member(schema, {"type"}) == "object"; }

/// Points the references of a schema, `all`, to where it stands then.
struct ref_pointer {
  /// False when there are more levels.
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
  /// `$ref` with a fragment alone points into the schema, which stands elsewhere now.
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

} // namespace

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

/// Nothing when the tool stays as it is.
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

} // namespace troupe::protocol
