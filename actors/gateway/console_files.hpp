#pragma once

#include "protocol/admin/admin_entry.hpp"

#include <span>

namespace troupe::actors {

/// Returns the files of the operators' console, from `deploy/console/` at build time.
std::span<const protocol::console_file> console_files();

} // namespace troupe::actors
