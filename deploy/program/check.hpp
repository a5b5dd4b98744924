#pragma once

#include "deploy/program/cli.hpp"

namespace troupe::deploy {

/// Prints what is wrong with a configuration file to stdout, a line for each problem. Returns the program's exit
/// status: 1 when there is an error, 0 when there are only warnings or nothing. Asked about somebody, it prints what he
/// may instead, unless there is an error, and returns 1 when that is nothing.
int check(const check_command& command);

} // namespace troupe::deploy
