#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `access` of a server.
void read_access(const config_value& section, server_access& to);

std::vector<std::string_view> access_keys();
std::vector<std::string_view> allowed_callers_keys();

/// Reads the section `gateway.admin`.
void read_admin(const config_value& section, config_variables& variables, admin_options& to);

/// Keys of the section.
std::vector<std::string_view> admin_keys();

/// Reads the section `auth` of a gateway.
void read_auth(const config_value& section, config_variables& variables, auth_options& to);

std::vector<std::string_view> auth_keys();
std::vector<std::string_view> introspection_keys();

/// Reads the section `gateway.tls`.
void read_tls(const config_value& section, config_variables& variables, tls_options& to);

/// Keys of the section.
std::vector<std::string_view> tls_keys();

} // namespace troupe::deploy
