#pragma once

namespace troupe::deploy {

/// Is a small MCP server on stdin and stdout until stdin ends: something to put behind the gateway that needs nothing
/// else. One thread; calls that take their time run side by side. Returns the program's exit status.
int run_example_server();

} // namespace troupe::deploy
