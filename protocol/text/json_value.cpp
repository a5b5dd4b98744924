#include "protocol/text/json_value.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>

namespace troupe::protocol {

namespace json = boost::json;

namespace {

using problem = std::optional<std::string>;

bool is_integer_value(const json::value& value) {
  if (value.is_double())
    return std::trunc(value.get_double()) == value.get_double();
  return value.is_number();
}

/// Unknown types pass.
bool is_of_type(const json::value& value, std::string_view type) {
  return type == "object"    ? value.is_object()
         : type == "array"   ? value.is_array()
         : type == "string"  ? value.is_string()
         : type == "boolean" ? value.is_bool()
         : type == "null"    ? value.is_null()
         : type == "number"  ? value.is_number()
         : type == "integer" ? is_integer_value(value)
                             : true;
}

bool is_of(const json::value& value, const json::value& type) {
  if (auto* name = type.if_string())
    return is_of_type(value, std::string_view{name->data(), name->size()});
  auto* several = type.if_array();
  return !several || std::any_of(several->begin(), several->end(), [&](auto& one) { return is_of(value, one); });
}

problem check_itself(const json::value& value, const json::object& schema, const std::string& name) {
  if (auto* type = schema.if_contains("type"); type && !is_of(value, *type))
    return name + " must be of type " + json::serialize(*type);
  auto* choices = schema.if_contains("enum");
  if (!choices || !choices->is_array())
    return std::nullopt;
  auto& all = choices->get_array();
  if (std::find(all.begin(), all.end(), value) == all.end())
    return name + " must be one of " + json::serialize(all);
  return std::nullopt;
}

problem check_required(const json::object& value, const json::object& schema, const std::string& prefix) {
  auto* required = schema.if_contains("required");
  if (!required || !required->is_array())
    return std::nullopt;
  for (auto& one : required->get_array())
    if (one.is_string() && !value.contains(one.get_string()))
      return prefix + std::string{one.get_string()} + " is missing";
  return std::nullopt;
}

problem check_properties(const json::object& value, const json::object& schema, const std::string& prefix) {
  auto* properties = schema.if_contains("properties");
  if (!properties || !properties->is_object())
    return std::nullopt;
  for (auto& [key, member] : value) {
    auto* rules = properties->get_object().if_contains(key);
    if (!rules || !rules->is_object())
      continue;
    if (auto why = schema_problem(member, rules->get_object(), prefix + std::string{key}))
      return why;
  }
  return std::nullopt;
}

problem check_items(const json::array& value, const json::object& schema, const std::string& name) {
  auto* rules = schema.if_contains("items");
  if (!rules || !rules->is_object())
    return std::nullopt;
  for (std::size_t i = 0; i < value.size(); ++i)
    if (auto why = schema_problem(value[i], rules->get_object(), name + "[" + std::to_string(i) + "]"))
      return why;
  return std::nullopt;
}

} // namespace

std::optional<std::string> schema_problem(const json::value& value, const json::object& schema,
                                          const std::string& name) {
  if (auto why = check_itself(value, schema, name))
    return why;
  if (auto* elements = value.if_array())
    return check_items(*elements, schema, name);
  auto* members = value.if_object();
  if (!members)
    return std::nullopt;
  auto prefix = name + ".";
  if (auto why = check_required(*members, schema, prefix))
    return why;
  return check_properties(*members, schema, prefix);
}

} // namespace troupe::protocol
