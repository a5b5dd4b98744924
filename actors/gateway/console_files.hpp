#pragma once

#include "protocol/admin/admin_door.hpp"

#include <span>

namespace troupe::actors {

/// The files of the operators' console, as they were in `deploy/console/` when the library was built.
std::span<const protocol::console_file> console_files();

} // namespace troupe::actors
