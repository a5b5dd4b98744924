#include "protocol/text/uri_template.hpp"

#include "protocol/text/url.hpp"

namespace troupe::protocol {

namespace {

/// Takes the text up to the next variable off the template.
std::string_view take_literal(std::string_view& from) {
  auto literal = from.substr(0, from.find('{'));
  from.remove_prefix(literal.size());
  return literal;
}

/// Takes a variable off the template; returns its name without braces, nullopt if the template is malformed.
std::optional<std::string_view> take_name(std::string_view& from) {
  auto end = from.find('}');
  if (end == from.npos)
    return std::nullopt;
  auto name = from.substr(1, end - 1);
  from.remove_prefix(end + 1);
  return name;
}

/// Returns the size of the value of a variable that `literal` follows; an empty one ends the template.
std::size_t variable_size(std::string_view uri, std::string_view literal, bool last) {
  if (last && literal.empty())
    return uri.size();
  if (last)
    return uri.ends_with(literal) ? uri.size() - literal.size() : 0;
  auto end = uri.find(literal, 1);
  return end == uri.npos ? 0 : end;
}

} // namespace

std::optional<boost::json::object> match_uri(std::string_view uri_template, std::string_view uri) {
  boost::json::object result;
  auto literal = take_literal(uri_template);
  while (uri.starts_with(literal)) {
    uri.remove_prefix(literal.size());
    if (uri_template.empty())
      return uri.empty() ? std::optional{result} : std::nullopt;
    auto name = take_name(uri_template);
    literal = take_literal(uri_template);
    auto size = variable_size(uri, literal, uri_template.empty());
    auto value = uri.substr(0, size);
    if (!name || value.empty())
      return std::nullopt;
    auto reserved = name->starts_with('+');
    auto decoded = percent_decoded(value);
    if (!decoded || (!reserved && value.find('/') != value.npos))
      return std::nullopt;
    result[name->substr(reserved ? 1 : 0)] = *decoded;
    uri.remove_prefix(size);
  }
  return std::nullopt;
}

} // namespace troupe::protocol
