#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Checks a value against a JSON schema: returns the error, or nullopt if the value passes. Only `type`, `enum`,
/// `required`, `properties` and `items` are checked; values that other keywords forbid pass. `name` is the value's name
/// in the returned text.
std::optional<std::string> schema_problem(const boost::json::value& value, const boost::json::object& schema,
                                          const std::string& name);

/// Parses a token into a `boost::json::value`. Only for a text that `json_error` found valid.
boost::json::value json_value(std::string_view token);

} // namespace troupe::protocol
