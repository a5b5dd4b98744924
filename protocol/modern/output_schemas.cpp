#include "protocol/modern/output_schemas.hpp"

#include "protocol/message/splice.hpp"
#include "protocol/text/string_member.hpp"

#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

/// Most tools that are remembered. A server with more of such tools has its results wrapped by what they are.
constexpr std::size_t most_wrapped = 10'000;

bool is_object_schema(std::string_view schema) { return string_member(schema, {"type"}) == "object"; }

void point_into(std::string_view value, std::string_view all, std::vector<edit>& edits);

/// `$ref` with a fragment alone points into the schema, which stands elsewhere now.
void point_member_into(const object_reader& member, std::string_view all, std::vector<edit>& edits) {
  auto target = member.key() == "$ref" ? string_value(member.value()) : std::nullopt;
  if (target && target->starts_with('#'))
    edits.push_back(replacing(all, member.value(), quoted("#/properties/result" + target->substr(1))));
  else
    point_into(member.value(), all, edits);
}

void point_into(std::string_view value, std::string_view all, std::vector<edit>& edits) {
  if (value.starts_with('{'))
    for (object_reader members{value}; members.next();)
      point_member_into(members, all, edits);
  if (value.starts_with('['))
    for (array_reader elements{value}; elements.next();)
      point_into(elements.value(), all, edits);
}

std::string wrapped_schema(std::string_view schema) {
  std::vector<edit> edits;
  point_into(schema, schema, edits);
  return R"({"type":"object","properties":{"result":)" + spliced(schema, std::move(edits)) +
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
  if (tools && tools->starts_with('[') && tools->find("outputSchema") != tools->npos)
    for (array_reader each{*tools}; each.next();) {
      auto schema = each.value().starts_with('{') ? find_member(each.value(), {"outputSchema"}) : std::nullopt;
      if (!schema || is_object_schema(*schema))
        continue;
      edits.push_back(replacing(result, *schema, wrapped_schema(*schema)));
      if (wrapped_.size() < most_wrapped)
        wrapped_.insert(string_member(each.value(), {"name"}));
    }
  return spliced(result, std::move(edits));
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
