#pragma once

#include "deploy/help/command_text.hpp"

#include <string>

namespace troupe::deploy {

// Pages of the manual, in the macros of man(7), from what `--help` and editors tell.

/// `troupe(1)`
std::string program_page(const command_text& program, const std::string& version);
/// `troupe.json(5)`
std::string file_page(const std::string& version);

} // namespace troupe::deploy
