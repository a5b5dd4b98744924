#include "protocol/message/list_filter.hpp"

#include "protocol/message/splice.hpp"

#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

using item_filter = std::function<bool(std::string_view item)>;

bool keeps_all(std::string_view list, const item_filter& keeps) {
  for (array_reader elements{list}; elements.next();)
    if (!keeps(elements.value()))
      return false;
  return true;
}

std::string kept_of(std::string_view list, const item_filter& keeps) {
  std::string result = "[";
  for (array_reader elements{list}; elements.next();) {
    if (!keeps(elements.value()))
      continue;
    if (result.size() > 1)
      result += ',';
    result += elements.value();
  }
  return result + ']';
}

} // namespace

bool all_good(std::string_view object, std::string_view name, const std::function<bool(const std::string&)>& is_good) {
  auto has_one = false;
  if (!object.starts_with('{'))
    return false;
  for (object_reader members{object}; members.next();) {
    if (members.key() != name)
      continue;
    auto text = string_value(members.value());
    if (!text || !is_good(*text))
      return false;
    has_one = true;
  }
  return has_one;
}

message filtered_list(message answer, std::string_view items, const item_filter& keeps) {
  auto result = find_member(answer.text, {"result"});
  if (!result || !result->starts_with('{'))
    return answer;
  std::vector<edit> edits;
  for (object_reader members{*result}; members.next();) {
    auto list = members.value();
    if (members.key() == items && list.starts_with('[') && !keeps_all(list, keeps))
      edits.push_back(replacing(answer.text, list, kept_of(list, keeps)));
  }
  return edits.empty() ? std::move(answer) : spliced(std::move(answer), std::move(edits));
}

} // namespace troupe::protocol
