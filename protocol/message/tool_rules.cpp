#include "protocol/message/tool_rules.hpp"

#include "protocol/text/string_member.hpp"

#include <utility>

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

} // namespace

void tool_rules::learn(std::string_view tools_list_result) {
  auto tools = find_member(tools_list_result, {"tools"});
  if (!tools || !tools->starts_with('['))
    return;
  for (array_reader each{*tools}; each.next();)
    learn_tool(each.value());
}

void tool_rules::learn_tool(std::string_view tool) {
  auto name = string_member(tool, {"name"});
  if (auto known = tools_.find(name); known != tools_.end())
    forget_tool(known);
  if (name.size() > most_tool_name)
    return;
  auto rules = read_argument_rules(find_member(tool, {"inputSchema"}).value_or("{}"));
  auto names = name.size() + names_in(rules);
  if (rules.empty() || rules_ + rules.size() > most_argument_rules || names_ + names > most_argument_names)
    return;
  rules_ += rules.size();
  names_ += names;
  tools_.emplace(std::move(name), std::move(rules));
}

void tool_rules::forget_tool(by_name::iterator at) {
  rules_ -= at->second.size();
  names_ -= at->first.size() + names_in(at->second);
  tools_.erase(at);
}

const std::vector<argument_rule>* tool_rules::of(std::string_view tool) const {
  auto at = tools_.find(tool);
  return at == tools_.end() ? nullptr : &at->second;
}

} // namespace troupe::protocol
