#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Matches a URI with a template (RFC 6570, levels 1 and 2): returns the values of the variables, each a string, or
/// nothing when the URI does not match. `{x}` matches one or more characters but `/`, `{+x}` any; a variable ends where
/// the text that follows it in the template first occurs.
std::optional<boost::json::object> match_uri(std::string_view uri_template, std::string_view uri);

} // namespace troupe::protocol
