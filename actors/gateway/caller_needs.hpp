#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/options/server_rules.hpp"

namespace troupe::actors {

/// Whether what a server is told of its callers is another thing for each of them.
bool is_told_of_callers(const server_options& server);
/// Whether all users use one process of it if it speaks 2026-07-28. One that is told who asks hears that when it
/// starts.
bool shares_modern(const server_options& server);
/// Whether callers' tokens are exchanged for those that it is shown.
bool exchanges_tokens(const server_options& server);

/// What it needs to know of its callers, and what of that there is.
protocol::caller_needs needs_of(const server_options& server, const gateway_options& options);

} // namespace troupe::actors
