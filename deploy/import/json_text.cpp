#include "deploy/import/json_text.hpp"

#include <cstddef>

namespace troupe::deploy {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_json_line = 80;

void write_value(std::string& to, const json::value& value, std::size_t depth);

/// The elements or members between brackets, which `each` writes.
void write_lines(std::string& to, const auto& all, std::string_view brackets, std::size_t depth, const auto& each) {
  to += brackets.front();
  const char* separator = "\n";
  for (const auto& one : all) {
    to += separator + std::string(2 * (depth + 1), ' ');
    each(one);
    separator = ",\n";
  }
  to += '\n' + std::string(2 * depth, ' ') + brackets.back();
}

std::string on_one_line(const json::value& value) {
  std::string result;
  const char* separator = "";
  if (value.is_array()) {
    for (const auto& one : value.as_array()) {
      result += separator + on_one_line(one);
      separator = ", ";
    }
    return '[' + result + ']';
  }
  if (!value.is_object())
    return json::serialize(value);
  for (const auto& [name, one] : value.as_object()) {
    result += separator + json::serialize(name) + ": " + on_one_line(one);
    separator = ", ";
  }
  return '{' + result + '}';
}

void write_value(std::string& to, const json::value& value, std::size_t depth) {
  // The file and its servers begin on lines of their own.
  constexpr std::size_t spread = 3;
  const auto line = on_one_line(value);
  const auto is_short = depth >= spread && line.size() <= longest_json_line;
  if (value.is_object() && !value.as_object().empty() && !is_short)
    write_lines(to, value.as_object(), "{}", depth, [&](const auto& member) {
      to += json::serialize(member.key()) + ": ";
      write_value(to, member.value(), depth + 1);
    });
  else if (value.is_array() && !value.as_array().empty() && !is_short)
    write_lines(to, value.as_array(), "[]", depth, [&](const auto& element) { write_value(to, element, depth + 1); });
  else
    to += line;
}

} // namespace

std::string json_text(const json::value& value) {
  std::string result;
  write_value(result, value, 0);
  return result + '\n';
}

} // namespace troupe::deploy
