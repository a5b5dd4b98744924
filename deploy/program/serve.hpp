#pragma once

#include "deploy/program/cli.hpp"

namespace troupe::deploy {

/// Runs a gateway until SIGTERM or SIGINT and drains it. Returns the program's exit status: 0, or 1 when the gateway
/// could not start. To be called before the program has started any thread.
int serve(serve_command command);

} // namespace troupe::deploy
