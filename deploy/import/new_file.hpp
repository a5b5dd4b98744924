#pragma once

#include <string>
#include <string_view>

namespace troupe::deploy {

/// Writes a file that is not there yet and that only its user can read. The reason why not; empty when it is written.
std::string write_new_file(const std::string& path, std::string_view text);

/// Where the schema of configuration files is installed beside this program; the usual place when it is not.
std::string schema_place();

/// This program, by a name or path that starts it.
std::string own_program();

} // namespace troupe::deploy
