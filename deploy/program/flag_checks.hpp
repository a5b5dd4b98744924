#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::deploy {

// Validators for the values of flags. Their errors have the value and what it should be.

CLI::Validator must_be_positive();
CLI::Validator must_be_port();
CLI::Validator must_be_variable();
CLI::Validator must_be_directory();
CLI::Validator must_be_readable();
/// Of http or https. The error does not have it: there may be a secret in its query.
CLI::Validator must_be_url();
CLI::Validator must_be_key_name();
CLI::Validator must_be_scope();
CLI::Validator must_be_expiry();
CLI::Validator must_be_host_port();
CLI::Validator must_be_listening_place();
/// One of the gateway, besides its own.
CLI::Validator must_be_path();
CLI::Validator must_be_network();
/// `SERVER/NAME`
CLI::Validator must_be_thing();
CLI::Validator must_be_one_of(const std::vector<std::string>& names);

} // namespace troupe::deploy
