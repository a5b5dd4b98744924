#pragma once

#include "deploy/import/import_flags.hpp"

namespace troupe::deploy {

/// Prints one file of those of clients; the exit status is 1 when there is no server in them.
int run_import(const import_command& command);

} // namespace troupe::deploy
