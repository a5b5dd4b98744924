#include "protocol/message/argument_rule.hpp"

#include "protocol/text/http_token.hpp"
#include "protocol/text/string_member.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::string_view annotation = "x-mcp-header";

template <std::size_t Size>
bool is_keyword_of(const std::string_view (&words)[Size], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

/// Members of a schema whose own members are schemas, other than `properties`.
bool has_named_schemas(std::string_view keyword) {
  static constexpr std::string_view all[] = {"$defs", "definitions", "patternProperties", "dependentSchemas"};
  return is_keyword_of(all, keyword);
}

/// Members of a schema whose values are no schemas, whatever they look like.
bool is_plain_value(std::string_view keyword) {
  static constexpr std::string_view all[] = {"default", "const", "enum", "examples"};
  return is_keyword_of(all, keyword);
}

bool can_be_header(std::string_view type) {
  static constexpr std::string_view all[] = {"integer", "string", "boolean"};
  return is_keyword_of(all, type);
}

/// Most schemas have no annotation, and are not walked: nobody writes its letters with escapes.
bool may_have_rules(std::string_view input_schema) { return input_schema.find(annotation) != input_schema.npos; }

/// Looks for annotations in all of a schema: one in the wrong place makes it invalid.
class annotation_search {
public:
  explicit annotation_search(std::string_view schema) { look(schema, true); }

  bool is_valid() const { return is_valid_; }
  std::vector<argument_rule> take() { return is_valid_ ? std::move(found_) : std::vector<argument_rule>{}; }

private:
  /// `is_argument`: what the schema describes is reached from the root through `properties` only.
  void look(std::string_view schema, bool is_argument) {
    if (!schema.starts_with('{'))
      return;
    auto is_annotated = false;
    for (object_reader members{schema}; is_valid_ && members.next();) {
      if (auto keyword = members.key(); keyword == annotation && std::exchange(is_annotated, true))
        is_valid_ = false; // of two, nobody knows which counts
      else if (keyword == annotation)
        note(schema, members.value(), is_argument);
      else if (keyword == "properties" || has_named_schemas(keyword))
        look_in_named(members.value(), is_argument && keyword == "properties");
      else if (!is_plain_value(keyword))
        look_in_others(members.value());
    }
  }

  void look_in_named(std::string_view schemas, bool is_argument) {
    if (!schemas.starts_with('{'))
      return;
    for (object_reader members{schemas}; members.next();) {
      path_.emplace_back(members.key());
      look(members.value(), is_argument);
      path_.pop_back();
    }
  }

  void look_in_others(std::string_view value) {
    if (!value.starts_with('['))
      return look(value, false);
    for (array_reader elements{value}; elements.next();)
      look(elements.value(), false);
  }

  void note(std::string_view schema, std::string_view value, bool is_argument) {
    auto header = string_value(value).value_or("");
    auto is_good =
        is_argument && !path_.empty() && is_http_token(header) && can_be_header(string_member(schema, {"type"}));
    is_valid_ = is_valid_ && is_good && has_room_for(header) && headers_.insert(lower(header)).second;
    if (is_valid_)
      found_.push_back({.header = std::move(header), .path = path_});
  }

  /// Asked before the names are copied: a schema can name one long path in many annotations.
  bool has_room_for(const std::string& header) {
    names_ += header.size();
    for (auto& name : path_)
      names_ += name.size();
    return found_.size() < most_rules_of_tool && names_ <= most_names_of_tool;
  }

  std::vector<argument_rule> found_;
  std::vector<std::string> path_;
  /// The headers of what was found, in lower case.
  std::set<std::string> headers_;
  /// The bytes of the names in what was found.
  std::size_t names_ = 0;
  bool is_valid_ = true;
};

} // namespace

std::vector<argument_rule> read_argument_rules(std::string_view input_schema) {
  return may_have_rules(input_schema) ? annotation_search{input_schema}.take() : std::vector<argument_rule>{};
}

bool has_invalid_annotation(std::string_view input_schema) {
  return may_have_rules(input_schema) && !annotation_search{input_schema}.is_valid();
}

} // namespace troupe::protocol
