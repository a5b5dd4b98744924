#pragma once

#include "deploy/connect/connect_command.hpp"

namespace troupe::deploy {

/// Is an MCP server on stdin and stdout that passes everything to the remote one, until stdin ends or a signal comes.
/// Gives the exit status.
int run_connect(const connect_command& command);

} // namespace troupe::deploy
