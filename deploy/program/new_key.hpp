#pragma once

#include "deploy/program/cli.hpp"

namespace troupe::deploy {

/// Makes a key, and prints it, and what the file of keys has of it. Gives the status that the program ends with.
int make_key(const new_key_command& command);

} // namespace troupe::deploy
