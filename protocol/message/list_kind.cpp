#include "protocol/message/list_kind.hpp"

#include <array>
#include <cstddef>

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

bool goes_on(std::string_view next_cursor, bool is_modern) {
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

} // namespace troupe::protocol
