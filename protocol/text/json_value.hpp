#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace troupe::protocol {

/// Parses a token into a `boost::json::value`. Only for a text that `json_error` found valid.
boost::json::value json_value(std::string_view token);

} // namespace troupe::protocol
