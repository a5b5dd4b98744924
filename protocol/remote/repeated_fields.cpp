#include "protocol/remote/repeated_fields.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <optional>

namespace troupe::protocol {

namespace {

constexpr std::size_t longest_shown_name = 100;

bool is_unusable(std::string_view tool) {
  return has_invalid_annotation(find_member(tool, {"inputSchema"}).value_or("{}"));
}

log_note left_out(std::string_view tool) {
  return {log_note::weight::warning,
          "server lists tools whose x-mcp-header is not valid: they are left out",
          {{"tool", one_line(string_member(tool, {"name"}), longest_shown_name)}}};
}

/// Rule and the argument found for it, the first of duplicates.
struct repeated_argument {
  const argument_rule* rule;
  std::optional<std::string_view> value = {};
};

/// Finds the arguments at the rules' paths below `object`, which is at `depth` in the arguments. Walks once for all
/// rules, as a call can be long.
void find_arguments(std::string_view object, std::size_t depth, const std::vector<repeated_argument*>& wanted) {
  auto open = wanted;
  for (object_reader members{object}; !open.empty() && members.next();) {
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

/// Empty for an argument that no field can carry; `null` counts as absent.
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

void mismatched_calls::drop(std::string_view id) {
  std::erase_if(calls_, [&](auto& one) { return one.call.what.id == id; });
}

message mismatched_calls::list_request(std::string_view cursor) const {
  auto& first = calls_.front().call.what;
  auto meta = without_member(find_member(first.text, {"params", "_meta"}).value_or("{}"), "progressToken");
  auto text = R"({"jsonrpc":"2.0","id":"troupe-tools","method":"tools/list","params":{"_meta":)" + meta;
  if (!cursor.empty())
    text.append(R"(,"cursor":)").append(cursor);
  auto result = gateway_message(text + "}}");
  result.requester = first.requester;
  return result;
}

message with_usable_tools(message answer, bool& is_noted, remote_effects& out) {
  auto tools = find_member(answer.text, {"result", "tools"}).value_or("");
  std::string kept;
  auto all_are = true;
  for (array_reader each{tools}; each.next();) {
    if (!is_unusable(each.value())) {
      kept.append(kept.empty() ? "" : ",").append(each.value());
      continue;
    }
    all_are = false;
    if (!std::exchange(is_noted, true))
      out.push_back(left_out(each.value()));
  }
  if (all_are)
    return answer;
  auto change = replacing(answer.text, tools, "[" + kept + "]");
  return spliced(std::move(answer), {std::move(change)});
}

/// Encodes a method that is no valid field value: no server knows it, but users may send it.
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
