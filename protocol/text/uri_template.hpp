#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Matches a URI against a template (RFC 6570, levels 1 and 2). Returns the values of the variables, each a string, or
/// nullopt if the URI does not match. `{x}` matches one or more characters except `/`, `{+x}` any. A variable ends at
/// the first occurrence of the text that follows it in the template.
std::optional<boost::json::object> match_uri(std::string_view uri_template, std::string_view uri);

} // namespace troupe::protocol
