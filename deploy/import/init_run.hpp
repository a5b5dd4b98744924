#pragma once

#include "deploy/import/import_flags.hpp"

namespace troupe::deploy {

/// Writes a first configuration file, unless there is one, and says what to do with it.
int run_init(const init_command& command);

} // namespace troupe::deploy
