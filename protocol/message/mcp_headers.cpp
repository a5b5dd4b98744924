#include "protocol/message/mcp_headers.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/http_syntax.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::string_view mark = "=?base64?";
constexpr std::string_view end_mark = "?=";

bool is_marked(std::string_view value) {
  return value.size() >= mark.size() + end_mark.size() && value.starts_with(mark) && value.ends_with(end_mark);
}

bool is_visible_or_blank(char c) { return c >= 0x20 && c < 0x7f; }

constexpr std::string_view annotation = "x-mcp-header";

template <std::size_t Size>
bool is_keyword_of(const std::string_view (&words)[Size], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

/// Whether a member of a schema contains named schemas, other than `properties`.
bool has_named_schemas(std::string_view keyword) {
  static constexpr std::string_view all[] = {"$defs", "definitions", "patternProperties", "dependentSchemas"};
  return is_keyword_of(all, keyword);
}

/// Whether the value of a member is no schema, even if it looks like one.
bool is_plain_value(std::string_view keyword) {
  static constexpr std::string_view all[] = {"default", "const", "enum", "examples"};
  return is_keyword_of(all, keyword);
}

bool can_be_header(std::string_view type) {
  static constexpr std::string_view all[] = {"integer", "string", "boolean"};
  return is_keyword_of(all, type);
}

/// Quick test: most schemas have no annotation and are not walked. Assumes that its name is not written with escapes.
bool may_have_rules(std::string_view input_schema) { return input_schema.find(annotation) != input_schema.npos; }

/// Search for annotations in all of a schema: one in the wrong place makes the schema invalid.
class annotation_search {
public:
  explicit annotation_search(std::string_view schema) { look(schema, true); }

  bool is_valid() const { return is_valid_; }
  std::vector<argument_rule> release() { return is_valid_ ? std::move(found_) : std::vector<argument_rule>{}; }

private:
  /// `is_argument`: whether the schema is reached from the root through `properties` only.
  void look(std::string_view schema, bool is_argument) {
    auto is_annotated = false;
    for (object_reader members{schema}; is_valid_ && members.next();) {
      if (auto keyword = members.key(); keyword == annotation && std::exchange(is_annotated, true))
        is_valid_ = false; // duplicates are ambiguous
      else if (keyword == annotation)
        note(schema, members.value(), is_argument);
      else if (keyword == "properties" || has_named_schemas(keyword))
        look_in_named(members.value(), is_argument && keyword == "properties");
      else if (!is_plain_value(keyword))
        look_in_others(members.value());
    }
  }

  void look_in_named(std::string_view schemas, bool is_argument) {
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

  /// Checked before the names are copied: a schema can have many annotations under one long path.
  bool has_room_for(const std::string& header) {
    names_ += header.size();
    for (auto& name : path_)
      names_ += name.size();
    return found_.size() < most_rules_of_tool && names_ <= most_names_of_tool;
  }

  std::vector<argument_rule> found_;
  std::vector<std::string> path_;
  /// Header names of `found_`, in lower case.
  std::set<std::string> headers_;
  /// Size of the names in `found_`, in bytes.
  std::size_t names_ = 0;
  bool is_valid_ = true;
};

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

std::optional<std::string> decoded_header(std::string_view value) {
  if (!is_marked(value))
    return std::string{value};
  value.remove_prefix(mark.size());
  value.remove_suffix(end_mark.size());
  auto text = from_base64(value);
  return text && !json_error(quoted(*text)) ? text : std::nullopt;
}

std::string encoded_header(std::string_view text) {
  if (!is_marked(text) && without_blanks(text) == text && std::ranges::all_of(text, is_visible_or_blank))
    return std::string{text};
  return std::string{mark} + base64(text) + std::string{end_mark};
}

std::string_view naming_param(const message& request) {
  for (auto method : {"tools/call", "prompts/get"})
    if (request.is_method(method))
      return "name";
  for (auto method : {"tasks/get", "tasks/update", "tasks/cancel"})
    if (request.is_method(method))
      return "taskId";
  return request.is_method("resources/read") ? "uri" : "";
}

std::vector<argument_rule> read_argument_rules(std::string_view input_schema) {
  return may_have_rules(input_schema) ? annotation_search{input_schema}.release() : std::vector<argument_rule>{};
}

bool has_invalid_annotation(std::string_view input_schema) {
  return may_have_rules(input_schema) && !annotation_search{input_schema}.is_valid();
}

void tool_rules::learn(std::string_view tools_list_result) {
  for (array_reader each{find_member(tools_list_result, {"tools"}).value_or("")}; each.next();)
    learn_tool(each.value());
}

void tool_rules::learn_tool(std::string_view tool) {
  auto name = string_member(tool, {"name"});
  tools_.erase(name);
  if (name.size() > most_tool_name)
    return;
  auto rules = read_argument_rules(find_member(tool, {"inputSchema"}).value_or("{}"));
  auto count = rules_.try_acquire(rules.size());
  auto names = names_.try_acquire(name.size() + names_in(rules));
  if (!rules.empty() && count && names)
    tools_.emplace(std::move(name), known_tool{std::move(rules), std::move(*count), std::move(*names)});
}

const std::vector<argument_rule>* tool_rules::of(std::string_view tool) const {
  auto at = tools_.find(tool);
  return at == tools_.end() ? nullptr : &at->second.rules;
}

} // namespace troupe::protocol
