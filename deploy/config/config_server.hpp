#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_sections.hpp"
#include "deploy/config/config_variables.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the entry of one server. Empty if the entry is disabled; its variables are not looked up then.
std::optional<server_options> read_server(const found_server& found, config_variables& variables);

/// Keys of a server's entry, including those of other clients.
std::vector<std::string_view> server_keys();
/// Keys of `restart` and of `tools`.
std::vector<std::string_view> restart_keys();
std::vector<std::string_view> tools_keys();

} // namespace troupe::deploy
