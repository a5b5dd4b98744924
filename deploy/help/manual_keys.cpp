#include "deploy/help/manual_keys.hpp"

#include "deploy/help/config_schema.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace troupe::deploy {

namespace {

using boost::json::object;
using boost::json::value;

std::string text_of(const value& of) { return of.is_string() ? std::string{of.get_string()} : serialize(of); }

/// The names of types in words of users; other schemas are followed to where they are written.
class schema_reader {
public:
  schema_reader() : root_(boost::json::parse(config_schema())) {}

  std::string summary() const { return text_of(root_.at_pointer("/description")); }

  std::vector<manual_key> keys() {
    read_object("", root_.get_object());
    return std::move(keys_);
  }

private:
  const object& resolved(const object& schema) const {
    const auto* const reference = schema.if_contains("$ref");
    if (!reference)
      return schema;
    const std::string_view pointer = reference->get_string();
    return root_.at_pointer(pointer.substr(1)).as_object(); // without the # of this document
  }

  void read_object(const std::string& above, const object& schema) {
    if (const auto* const properties = schema.if_contains("properties"))
      for (const auto& [name, of] : properties->get_object())
        if (of.is_object() && of.get_object().contains("description") && name != "$schema")
          read_key(above + std::string{name}, of.get_object());
    if (const auto* const others = schema.if_contains("additionalProperties"); others && others->is_object())
      read_object(above + "NAME.", resolved(others->get_object()));
  }

  void read_key(const std::string& path, const object& schema) {
    const auto* const standard = schema.if_contains("default");
    keys_.push_back({path, kind_of(schema), text_of(schema.at("description")), standard ? text_of(*standard) : ""});
    const auto& whole = resolved(schema);
    const auto is_servers = schema.contains("$ref") && schema.at("$ref") == "#/$defs/servers";
    if (!is_servers || !std::exchange(servers_told_, true))
      read_object(path + '.', whole);
  }

  std::string kind_of(const object& schema) const {
    const auto& whole = resolved(schema);
    if (&whole != &schema && text_of(schema.at("$ref")).starts_with("#/$defs/duration"))
      return "time";
    if (const auto* const values = whole.if_contains("enum"))
      return choices_of(values->as_array());
    if (const auto* const choices = whole.if_contains("anyOf"))
      return kinds_of(choices->as_array());
    const auto* const type = whole.if_contains("type");
    return type && type->is_string() ? word_of(type->get_string()) : "";
  }

  static std::string choices_of(const boost::json::array& values) {
    std::string result;
    for (const auto& one : values)
      result += (result.empty() ? "" : ", ") + text_of(one);
    return result;
  }

  std::string kinds_of(const boost::json::array& choices) const {
    std::vector<std::string> kinds;
    for (const auto& choice : choices)
      if (auto kind = choice.is_object() ? kind_of(choice.get_object()) : ""; !kind.empty())
        if (std::ranges::find(kinds, kind) == kinds.end())
          kinds.push_back(std::move(kind));
    std::string result;
    for (const auto& kind : kinds)
      result += (result.empty() ? "" : " or ") + kind;
    return result;
  }

  static std::string word_of(std::string_view type) {
    if (type == "string")
      return "text";
    if (type == "boolean")
      return "true or false";
    if (type == "array")
      return "list";
    return std::string{type == "integer" ? "number" : type};
  }

  value root_;
  std::vector<manual_key> keys_;
  bool servers_told_ = false;
};

} // namespace

std::string kind_text(const manual_key& key) {
  if (key.standard.empty())
    return key.kind;
  return key.kind + (key.kind.empty() ? "" : ", ") + "default: " + key.standard;
}

std::vector<manual_key> manual_keys() { return schema_reader{}.keys(); }

std::string file_summary() { return schema_reader{}.summary(); }

} // namespace troupe::deploy
