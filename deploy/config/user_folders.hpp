#pragma once

#include <filesystem>

namespace troupe::deploy {

// Folders for the files of the user who runs the program (XDG Base Directory Specification).

/// Returns the path in a variable; empty if it is not set or, against the specification, not absolute.
std::filesystem::path folder_in(const char* variable);

/// `$XDG_STATE_HOME/troupe`, or else `~/.local/state/troupe`; a relative path if `HOME` is not set.
std::filesystem::path state_folder();

/// `$XDG_RUNTIME_DIR/troupe`; empty unless the variable names a folder that only this user can access.
std::filesystem::path runtime_folder();

} // namespace troupe::deploy
