#pragma once

#include "protocol/options/server_rules.hpp"

namespace troupe::deploy {

// Rules for the values of a file, checked after variables were replaced.
using protocol::is_header_name;
using protocol::is_header_value;
using protocol::is_own_header;
using protocol::is_prefix;
using protocol::is_server_name;
using protocol::is_variable_name;
using protocol::largest_pool;
using protocol::most_attempts;
using protocol::most_connections;
using protocol::most_servers;

} // namespace troupe::deploy
