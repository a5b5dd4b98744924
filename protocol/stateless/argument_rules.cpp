#include "protocol/stateless/argument_rules.hpp"

#include "protocol/message/header_value.hpp"
#include "protocol/message/message_parts.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace troupe::protocol {

namespace {

std::size_t names_in(const std::vector<argument_rule>& rules) {
  std::size_t result = 0;
  for (auto& rule : rules) {
    result += rule.header.size();
    for (auto& name : rule.path)
      result += name.size();
  }
  return result;
}

using json_tokens = std::vector<std::string_view>;

json_tokens members_named(const json_tokens& objects, std::string_view name) {
  json_tokens result;
  for (auto object : objects)
    for (object_reader members{object.starts_with('{') ? object : "{}"}; members.next();)
      if (members.key() == name)
        result.push_back(members.value());
  return result;
}

/// All values that a call has for the argument: peers disagree on which of several counts.
json_tokens values_of_argument(const message& tools_call, const std::vector<std::string>& path) {
  auto result = members_named(members_named({tools_call.text}, "params"), "arguments");
  for (auto& name : path)
    result = members_named(result, name);
  return result;
}

std::optional<double> read_double(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// Beyond these, different integers are the same `double`; they are not to be sent (2026-07-28, transports, "Value
/// Encoding").
constexpr double largest_exact = 9007199254740991;

bool is_same_number(std::string_view token, std::string_view text) {
  auto one = read_double(token), other = read_double(text);
  return token == text || (one && other && *one == *other && std::abs(*one) <= largest_exact);
}

/// Whether a JSON value and the decoded value of a field say the same.
bool says_same(std::string_view token, std::string_view text) {
  if (token.starts_with('"'))
    return string_value(token) == text;
  if (token.front() == '-' || (token.front() >= '0' && token.front() <= '9'))
    return is_same_number(token, text);
  return token == text && (token == "true" || token == "false");
}

using header_fields = std::vector<std::pair<std::string, std::string>>;

/// What is wrong with the field of that name; empty when nothing is. An argument that is `null` is the same as none.
std::string_view field_complaint(std::string_view name, const header_fields& fields, const json_tokens& argument) {
  auto is_named = [&](auto& field) { return same_word(field.first, name); };
  auto is_absent = std::ranges::all_of(argument, [](auto token) { return token == "null"; });
  auto field = std::ranges::find_if(fields, is_named);
  if (field == fields.end())
    return is_absent ? "" : " is missing; it repeats an argument that is there";
  if (std::any_of(field + 1, fields.end(), is_named))
    return " may come once";
  if (is_absent)
    return " is there, but the argument that it repeats is not";
  auto value = decoded_header(field->second);
  if (!value)
    return " has the marks of base64, but no base64 of UTF-8 between them";
  auto is_same = std::ranges::all_of(argument, [&](auto token) { return says_same(token, *value); });
  return is_same ? "" : " is not what its argument is";
}

} // namespace

void argument_rules::learn(std::string_view tools_list_result) {
  auto tools = find_member(tools_list_result, {"tools"});
  if (!tools || !tools->starts_with('['))
    return;
  for (array_reader each{*tools}; each.next();)
    learn_tool(each.value());
}

void argument_rules::learn_tool(std::string_view tool) {
  auto name = string_member(tool, {"name"});
  if (auto known = tools_.find(name); known != tools_.end())
    forget_tool(known);
  auto rules = read_argument_rules(find_member(tool, {"inputSchema"}).value_or("{}"));
  auto names = name.size() + names_in(rules);
  if (rules.empty() || rules_ + rules.size() > most_argument_rules || names_ + names > most_argument_names)
    return;
  rules_ += rules.size();
  names_ += names;
  tools_.emplace(std::move(name), std::move(rules));
}

void argument_rules::forget_tool(tool_rules::iterator at) {
  rules_ -= at->second.size();
  names_ -= at->first.size() + names_in(at->second);
  tools_.erase(at);
}

void argument_rules::forget() { *this = {}; }

std::optional<rejection> argument_rules::refuse(const message& tools_call, const header_fields& arguments) const {
  if (empty())
    return std::nullopt;
  auto tool = tools_.find(string_param(tools_call, "name"));
  if (tool == tools_.end())
    return std::nullopt;
  for (auto& rule : tool->second)
    if (auto why = field_complaint(rule.header, arguments, values_of_argument(tools_call, rule.path)); !why.empty())
      return rejection{.status = 400,
                       .code = error_code::header_mismatch,
                       .text = "Header mismatch: Mcp-Param-" + rule.header + std::string{why},
                       .id = tools_call.id};
  return std::nullopt;
}

} // namespace troupe::protocol
