#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::deploy {

// What the values of flags have to be. A check refuses with the value and with what it should have been.

CLI::Validator must_be_seconds();
CLI::Validator must_be_positive();
CLI::Validator must_be_port();
CLI::Validator must_be_variable();
CLI::Validator must_be_directory();
CLI::Validator must_be_readable();
CLI::Validator must_be_host_port();
CLI::Validator must_be_one_of(const std::vector<std::string>& names);

} // namespace troupe::deploy
