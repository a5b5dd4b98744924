#pragma once

#include "deploy/connect/connect_command.hpp"
#include "deploy/import/import_run.hpp"
#include "deploy/operator/operator_command.hpp"
#include "deploy/program/check.hpp"
#include "deploy/program/new_key.hpp"
#include "deploy/program/serve.hpp"

#include <variant>

namespace troupe::deploy {

/// Command `troupe example-server`.
struct example_server_command {};

/// End of the program: help was shown, or the command line was refused.
struct finished {
  int status = 0;
};

using command = std::variant<serve_command, connect_command, check_command, import_command, init_command,
                             new_key_command, example_server_command, operator_command, finished>;

/// Parses the command line. Prints help and version to stdout. Errors print one line on stderr that names the flag, and
/// give status 2.
command parse(int argc, const char* const* argv);

} // namespace troupe::deploy
