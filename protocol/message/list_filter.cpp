#include "protocol/message/list_filter.hpp"

#include "protocol/message/splice.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

using item_filter = std::function<bool(std::string_view item)>;

/// Nothing when all are kept. Asks once about each.
std::optional<std::string> kept_of(std::string_view list, const item_filter& keeps) {
  std::string result;
  auto are_all = true;
  for (array_reader elements{list}; elements.next();)
    if (keeps(elements.value()))
      result.append(result.empty() ? "" : ",").append(elements.value());
    else
      are_all = false;
  return are_all ? std::nullopt : std::optional{"[" + result + "]"};
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
    if (members.key() != items || !list.starts_with('['))
      continue;
    if (auto kept = kept_of(list, keeps))
      edits.push_back(replacing(answer.text, list, std::move(*kept)));
  }
  return edits.empty() ? std::move(answer) : spliced(std::move(answer), std::move(edits));
}

} // namespace troupe::protocol
