#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"

namespace troupe::deploy {

/// `restart`: whether a server that is lost is started again, or how often.
void read_restart(const config_value& value, server_options& server);

/// `tools`: patterns of those that may be used.
void read_tools(const config_value& value, server_options& server);

} // namespace troupe::deploy
