#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace troupe::protocol {

/// The value that a token stands for, for what has to be looked into as a whole. Only for a text that `json_error`
/// found valid.
boost::json::value json_value(std::string_view token);

} // namespace troupe::protocol
