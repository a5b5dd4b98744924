#include "protocol/message/lists.hpp"

#include "protocol/message/splice.hpp"

#include <cstddef>
#include <utility>

namespace troupe::protocol {

namespace {

struct list_words {
  std::string_view method, items, key;
};

constexpr std::array<list_words, 4> words{{{"tools/list", "tools", "name"},
                                           {"prompts/list", "prompts", "name"},
                                           {"resources/list", "resources", "uri"},
                                           {"resources/templates/list", "resourceTemplates", "uriTemplate"}}};

constexpr std::array<std::string_view, 3> announcements{
    "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"};

const list_words& list_words_of(list_kind kind) { return words[static_cast<std::size_t>(kind)]; }

using item_filter = std::function<bool(std::string_view item)>;

/// Returns the kept items; nullopt if all are kept. Calls `keeps` once for each.
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

std::optional<list_kind> list_asked_by(std::string_view method) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].method == method)
      return static_cast<list_kind>(i);
  return std::nullopt;
}

std::string_view list_method(list_kind kind) { return list_words_of(kind).method; }

std::string_view items_member(list_kind kind) { return list_words_of(kind).items; }

std::string_view key_member(list_kind kind) { return list_words_of(kind).key; }

bool has_next_page(std::string_view next_cursor, bool is_modern) {
  return next_cursor.starts_with('"') && (is_modern || next_cursor != R"("")");
}

list_group group_of(list_kind kind) {
  return kind == list_kind::tools     ? list_group::tools
         : kind == list_kind::prompts ? list_group::prompts
                                      : list_group::resources;
}

std::optional<list_group> group_changed_by(std::string_view method) {
  for (std::size_t i = 0; i < announcements.size(); ++i)
    if (announcements[i] == method)
      return static_cast<list_group>(i);
  return std::nullopt;
}

std::string_view changed_method(list_group group) { return announcements[static_cast<std::size_t>(group)]; }

bool all_good(std::string_view object, std::string_view name, const std::function<bool(const std::string&)>& is_good) {
  auto has_one = false;
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
  std::vector<edit> edits;
  for (object_reader members{find_member(answer.text, {"result"}).value_or("")}; members.next();) {
    auto list = members.value();
    if (members.key() != items || !list.starts_with('['))
      continue;
    if (auto kept = kept_of(list, keeps))
      edits.push_back(replacing(answer.text, list, std::move(*kept)));
  }
  return edits.empty() ? std::move(answer) : spliced(std::move(answer), std::move(edits));
}

} // namespace troupe::protocol
