#pragma once

#include <boost/json.hpp>

#include <string>

namespace troupe::deploy {

/// A value as people write it: members on lines of their own, two blanks deeper each, but what is short on one line.
std::string json_text(const boost::json::value& value);

} // namespace troupe::deploy
