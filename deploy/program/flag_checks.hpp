#pragma once

#include "protocol/options/option_row.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::deploy {

// Validators for the values of flags. Errors have the value and the expected form.

CLI::Validator must_be_positive();
CLI::Validator must_be_within(protocol::bounds bounds);
CLI::Validator must_be_variable();
CLI::Validator must_be_directory();
CLI::Validator must_be_readable();
/// URL of http or https. Its error omits the value, which may have a secret in its query.
CLI::Validator must_be_url();
CLI::Validator must_be_key_name();
CLI::Validator must_be_scope();
CLI::Validator must_be_expiry();
CLI::Validator must_be_host_port();
CLI::Validator must_be_listening_place();
/// Path of the gateway that it does not already use.
CLI::Validator must_be_path();
CLI::Validator must_be_network();
/// Text `SERVER/NAME`.
CLI::Validator must_be_thing();
CLI::Validator must_be_one_of(const std::vector<std::string>& names);
/// Text of an option that has to have this form.
CLI::Validator must_have_form(protocol::text_form form);

} // namespace troupe::deploy
