#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The variables of a URI that a template stands for (RFC 6570, levels 1 and 2), each a string; nothing when it stands
/// for others. `{x}` is at least one character up to the next `/`, `{+x}` goes on beyond it; a variable ends where the
/// text that follows it in the template is first met.
std::optional<boost::json::object> match_uri(std::string_view uri_template, std::string_view uri);

} // namespace troupe::protocol
