#include "protocol/remote/repeated_fields.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/message.hpp"

#include <optional>

namespace troupe::protocol {

namespace {

/// A rule, and the argument that it leads to once that was found: of two, the first.
struct repeated_argument {
  const argument_rule* rule;
  std::optional<std::string_view> value = {};
};

/// Finds the arguments to which the paths of these lead from `object`, which is that deep in the arguments: all in one
/// walk, as a call can be long.
void find_arguments(std::string_view object, std::size_t depth, const std::vector<repeated_argument*>& wanted) {
  auto open = wanted;
  for (object_reader members{object.starts_with('{') ? object : "{}"}; !open.empty() && members.next();) {
    std::vector<repeated_argument*> deeper;
    std::erase_if(open, [&](repeated_argument* one) {
      auto& path = one->rule->path;
      if (path[depth] != members.key())
        return false;
      if (path.size() == depth + 1)
        one->value = members.value();
      else
        deeper.push_back(one);
      return true;
    });
    if (!deeper.empty())
      find_arguments(members.value(), depth + 1, deeper);
  }
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
  std::vector<repeated_argument> all;
  for (auto& rule : rules)
    all.push_back({&rule});
  std::vector<repeated_argument*> wanted;
  for (auto& one : all)
    wanted.push_back(&one);
  find_arguments(find_member(tools_call.text, {"params", "arguments"}).value_or("{}"), 0, wanted);
  for (auto& one : all)
    if (auto value = one.value ? field_of(*one.value) : std::nullopt)
      out.emplace_back("Mcp-Param-" + one.rule->header, std::move(*value));
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
