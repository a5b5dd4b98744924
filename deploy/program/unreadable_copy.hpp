#pragma once

#include "deploy/program/descriptor.hpp"

#include <string>

namespace troupe::deploy {

/// A copy of a program file, in memory, that its own user may run and not read. Linux lets nobody but root look into a
/// process that runs such a file, from its first instruction on: a server of the same user finds no moment in which it
/// could attach to the process, read its memory or take its descriptors.
///
/// `program` is a path, or a name that is looked for in `PATH`. Gives no descriptor when no copy is needed: the file
/// cannot be read as it is, or this process is root's. Throws std::runtime_error when it cannot be made.
descriptor unreadable_copy(const std::string& program);

} // namespace troupe::deploy
