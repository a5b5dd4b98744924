#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/server_texts.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `auth` of a remote server: how the tokens are obtained that it is shown.
grant_options read_grant(const config_value& section, server_texts& texts);

std::vector<std::string_view> grant_keys();

} // namespace troupe::deploy
