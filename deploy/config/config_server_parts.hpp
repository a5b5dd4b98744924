#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// `restart`: whether a server that is lost is started again, or how often.
void read_restart(const config_value& value, server_options& server);

/// An array of the tools that may be used, as clients have it: all when `*` is one of them, none when it is empty.
void read_tool_list(const config_value& value, std::vector<std::string>& allow, std::vector<std::string>& deny);

/// `tools`: patterns of those that may be used, or such an array.
void read_tools(const config_value& value, server_options& server);

} // namespace troupe::deploy
