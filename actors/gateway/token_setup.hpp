#pragma once

#include "actors/gateway/gateway_setup.hpp"

#include <functional>
#include <string>
#include <variant>

namespace troupe::actors {

/// Returns a function that spawns a source of tokens for a server; empty if the server takes none.
std::function<token_source_actor(unit& at)> token_source_of(const server_options& server,
                                                            const gateway_options& options, const upstream_home& home);

/// See `server_setup::sharing_key`.
std::function<std::variant<std::string, protocol::unavailable_attribute>(const protocol::caller& who)>
make_sharing_key(const server_options& server);

} // namespace troupe::actors
