#include "protocol/remote/repeated_fields.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/header_value.hpp"
#include "protocol/message/message_parts.hpp"
#include "protocol/message/naming_param.hpp"

#include <optional>

namespace troupe::protocol {

namespace {

std::optional<std::string_view> argument_at(std::string_view arguments, const std::vector<std::string>& path) {
  std::optional<std::string_view> value = arguments;
  for (auto& name : path) {
    if (!value || !value->starts_with('{'))
      return std::nullopt;
    value = find_member(*value, {name});
  }
  return value;
}

/// Nothing for an argument that no field can carry; `null` counts as absent.
std::optional<std::string> field_of(std::string_view argument) {
  if (auto text = string_value(argument))
    return encoded_header(*text);
  if (argument == "null" || argument.starts_with('{') || argument.starts_with('['))
    return std::nullopt;
  return std::string{argument};
}

void repeat_arguments(const message& tools_call, const std::vector<argument_rule>& rules, http_fields& out) {
  auto arguments = find_member(tools_call.text, {"params", "arguments"}).value_or("{}");
  for (auto& rule : rules)
    if (auto argument = argument_at(arguments, rule.path))
      if (auto value = field_of(*argument))
        out.emplace_back("Mcp-Param-" + rule.header, std::move(*value));
}

} // namespace

/// A method is encoded where it could not stand in a field, although no server knows such a method: it is a user's.
http_fields repeated_fields(const message& request, const tool_rules& rules) {
  http_fields result{{"MCP-Protocol-Version", std::string{newest_stateless_version}},
                     {"Mcp-Method", encoded_header(request.method)}};
  auto param = naming_param(request);
  auto name = param.empty() ? std::nullopt : find_member(request.text, {"params", param});
  if (auto text = name ? string_value(*name) : std::nullopt)
    result.emplace_back("Mcp-Name", encoded_header(*text));
  if (request.is_method("tools/call"))
    if (auto* of_tool = rules.of(name_param(request)))
      repeat_arguments(request, *of_tool, result);
  return result;
}

} // namespace troupe::protocol
