#include "protocol/supervised/tool_filter.hpp"

#include "protocol/text/glob.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool fits_any(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](auto& glob) { return fits_glob(glob, name); });
}

/// Puts another text in the place of a part of the message.
void replace_part(message& in, const slice& part, std::string_view text) {
  in.text.replace(part.at, part.size, text);
  if (in.id_at.at > part.at)
    in.id_at.at += text.size() - part.size;
}

} // namespace

bool tool_filter::allows(std::string_view name) const {
  return (allow_.empty() || fits_any(allow_, name)) && !fits_any(deny_, name);
}

/// Peers disagree on whether the first or the last of two equal keys counts, so each has to be allowed.
bool tool_filter::allows_names_in(std::string_view object) const {
  auto named = false;
  for (object_reader members{object}; members.next();) {
    if (members.key() != "name")
      continue;
    auto name = string_value(members.value());
    if (!name || !allows(*name))
      return false;
    named = true;
  }
  return named;
}

bool tool_filter::allows_call(const message& call) const {
  if (off())
    return true;
  auto params = find_member(call.text, {"params"});
  return params && params->front() == '{' && allows_names_in(*params);
}

message tool_filter::filtered(message list) const {
  if (off())
    return list;
  auto result = find_member(list.text, {"result"});
  if (!result || result->front() != '{')
    return list;
  // From the last to the first, so that what is replaced moves nothing that is still to be.
  std::vector<std::pair<slice, std::string>> lists;
  for (object_reader members{*result}; members.next();) {
    auto tools = members.value();
    if (members.key() == "tools" && tools.front() == '[' && !lists_only_allowed(tools))
      lists.push_back({{static_cast<std::size_t>(tools.data() - list.text.data()), tools.size()}, allowed_of(tools)});
  }
  for (auto one = lists.rbegin(); one != lists.rend(); ++one)
    replace_part(list, one->first, one->second);
  return list;
}

bool tool_filter::lists_only_allowed(std::string_view tools) const {
  for (array_reader elements{tools}; elements.next();)
    if (elements.value().front() != '{' || !allows_names_in(elements.value()))
      return false;
  return true;
}

std::string tool_filter::allowed_of(std::string_view tools) const {
  std::string result = "[";
  for (array_reader elements{tools}; elements.next();) {
    if (elements.value().front() != '{' || !allows_names_in(elements.value()))
      continue;
    if (result.size() > 1)
      result += ',';
    result += elements.value();
  }
  return result + ']';
}

std::string called_tool(const message& call) {
  auto name = find_member(call.text, {"params", "name"});
  return name ? string_value(*name).value_or("") : "";
}

} // namespace troupe::protocol
