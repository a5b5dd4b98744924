#pragma once

#include <filesystem>

namespace troupe::deploy {

// Where programs keep files of the user that runs them (XDG Base Directory Specification).

/// What a variable says; empty when it is not set or, against the specification, not absolute.
std::filesystem::path folder_in(const char* variable);

/// `$XDG_STATE_HOME/troupe`, or else `~/.local/state/troupe`, which is a relative path when `HOME` is not set.
std::filesystem::path state_folder();

/// `$XDG_RUNTIME_DIR/troupe`; empty unless the variable names a folder that is this user's alone.
std::filesystem::path runtime_folder();

} // namespace troupe::deploy
