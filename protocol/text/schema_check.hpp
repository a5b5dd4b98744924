#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Says what is wrong with a value by a JSON schema; nothing when it passes. Looks at `type`, `enum`, `required`,
/// `properties` and `items`, and leaves the other keywords to who uses the value. `name` is how the text calls it.
std::optional<std::string> schema_problem(const boost::json::value& value, const boost::json::object& schema,
                                          const std::string& name);

} // namespace troupe::protocol
